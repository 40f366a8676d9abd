import { expect, test } from '#e2e/people.ts';

test.use({ serviceWorkers: 'allow' });

/** Tries to insert text as markup, like an injected script. */
const attempts = async () => {
  const outcomes: Record<string, string> = {};
  const attempt = async (name: string, work: () => unknown) => {
    try {
      await work();
      outcomes[name] = 'done';
    } catch (error) {
      outcomes[name] = (error as Error).name;
    }
  };
  const { trustedTypes } = window as unknown as {
    trustedTypes: { createPolicy(name: string, rules: object): unknown };
  };
  await attempt('markup', () => (document.createElement('div').innerHTML = '<img src=x>'));
  await attempt('script', () => (document.createElement('script').src = '/evil.js'));
  await attempt('worker', () => navigator.serviceWorker.register('/evil.js'));
  for (const name of ['other', 'default', 'muster'])
    await attempt(`policy ${name}`, () => trustedTypes.createPolicy(name, {}));
  return outcomes;
};

test('trusted types: pages create markup and scripts through the one policy only [T23]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  for (const path of ['/', '/login']) {
    await page.goto(path);
    expect(await page.evaluate(attempts)).toEqual({
      markup: 'TypeError',
      script: 'TypeError',
      worker: 'TypeError',
      'policy other': 'TypeError',
      'policy default': 'TypeError',
      'policy muster': 'TypeError',
    });
  }
});
