import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSharedResponses, type Page, type FieldValues } from '#platform/http/shared-response.ts';

const serialise = (data: unknown) => JSON.stringify(data);

const own = async (outline: unknown): Promise<FieldValues> => [undefined, `"own":"${String(outline)} ä"`];

function page(more: Partial<Page<unknown, unknown>> = {}): Page<unknown, unknown> & { made: number } {
  const counted = {
    made: 0,
    key: 'club',
    version: '1',
    now: '2026-01-02',
    async make() {
      counted.made++;
      return {
        data: { text: 'é "own":0 €', own: 0, list: [{ own: 0 }] },
        own: await (more.own ?? own)(2),
        from: '2026-01-01',
        until: '2026-01-03',
        outline: 2,
      };
    },
    viewerFields: /"own":0/g,
    viewer: {},
    own,
    ...more,
  };
  return counted;
}

test('shared response: fills in the fields of each viewer and derives their ETag from them', async () => {
  const personalise = createSharedResponses();
  const ada = await personalise(page(), serialise);
  const bob = await personalise(page({ own: async () => ['"own":"ß"', undefined] }), serialise);
  const text = 'é "own":0 €';
  expect(JSON.parse(ada.body().toString())).toEqual({ text, own: 0, list: [{ own: '2 ä' }] });
  expect(JSON.parse(bob.body().toString())).toEqual({ text, own: 'ß', list: [{ own: 0 }] });
  expect(ada.tag).not.toBe(bob.tag);
  expect((await personalise(page(), serialise)).tag).toBe(ada.tag);
});

test('shared response: creates a page once per version, also for concurrent requests', async () => {
  const personalise = createSharedResponses();
  const first = page();
  await Promise.all([
    personalise(first, serialise),
    personalise(first, serialise),
    personalise(first, serialise),
  ]);
  await personalise(first, serialise);
  expect(first.made).toBe(1);
  const second = page({ version: '2' });
  await personalise(second, serialise);
  await personalise(second, serialise);
  expect(second.made).toBe(1);
  await personalise(first, serialise);
  expect(first.made).toBe(2);
});

test('shared response: loads the field values once per viewer and version', async () => {
  const personalise = createSharedResponses();
  let asked = 0;
  const own = async () => {
    asked++;
    return [`"own":${asked}`, undefined];
  };
  const viewer = {};
  const texts: string[] = [];
  for (const more of [{}, {}, { version: '2' }, { version: '2' }, { version: '2', viewer: {} }]) {
    texts.push((await personalise(page({ viewer, own, ...more }), serialise)).body().toString());
  }
  expect(texts.map((text) => (JSON.parse(text) as { own: number }).own)).toEqual([1, 1, 2, 2, 3]);
});

test('shared response: each of several concurrent viewers gets their own field values', async () => {
  const personalise = createSharedResponses();
  const asked: string[] = [];
  const by = (name: string) =>
    page({
      viewer: { name },
      own: async () => (asked.push(name), [`"own":"${name}"`, undefined]),
    });
  const responses = await Promise.all(['Ada', 'Bob', 'Cleo'].map((name) => personalise(by(name), serialise)));
  const owns = responses.map(({ body }) => (JSON.parse(body().toString()) as { own: string }).own);
  expect(owns).toEqual(['Ada', 'Bob', 'Cleo']);
  expect(asked.toSorted()).toEqual(['Ada', 'Bob', 'Cleo']);
});

test('shared response: loads the field values again after an error', async () => {
  const personalise = createSharedResponses();
  await personalise(page(), serialise);
  const viewer = {};
  const broken = page({ viewer, own: () => Promise.reject(new Error('broken')) });
  await expect(personalise(broken, serialise)).rejects.toThrow('broken');
  expect((await personalise(page({ viewer }), serialise)).body().toString()).toContain('2 ä');
});

test('shared response: creates the page again outside its period of validity', async () => {
  const personalise = createSharedResponses();
  const made = async (now: string) => {
    const asked = page({ now });
    await personalise(asked, serialise);
    return asked.made;
  };
  expect(await made('2026-01-01')).toBe(1);
  expect([await made('2026-01-01'), await made('2026-01-02T23:59:59')]).toEqual([0, 0]);
  expect([await made('2026-01-03'), await made('2025-12-31')]).toEqual([1, 1]);
});

test('shared response: does not cache a failed page', async () => {
  const personalise = createSharedResponses();
  const broken = page({ make: () => Promise.reject(new Error('broken')) });
  const both = await Promise.allSettled([personalise(broken, serialise), personalise(page(), serialise)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await personalise(page(), serialise)).body().length).toBeGreaterThan(0);
});

test('shared response: fails when the field values do not match the viewer fields', async () => {
  const personalise = createSharedResponses();
  await expect(personalise(page({ own: async () => ['one too few'] }), serialise)).rejects.toThrow('2 gaps');
});

test('shared response: evicts the least recently used page above the size limit', async () => {
  const personalise = createSharedResponses(2500);
  const big = (key: string) =>
    page({
      key,
      viewerFields: /never/g,
      own: async () => [],
      make: async () => ({ data: 'x'.repeat(1000), own: [], from: '', until: '9', outline: 0 }),
    });
  const madeAgain = async (key: string) => {
    let again = false;
    const asked = big(key);
    await personalise({ ...asked, make: () => ((again = true), asked.make()) }, serialise);
    return again;
  };
  expect([await madeAgain('a'), await madeAgain('b'), await madeAgain('a')]).toEqual([true, true, false]);
  expect(await madeAgain('c')).toBe(true);
  expect([await madeAgain('a'), await madeAgain('c'), await madeAgain('b')]).toEqual([false, false, true]);
  await personalise(
    page({
      ...big('huge'),
      make: async () => ({ data: 'x'.repeat(9000), own: [], from: '', until: '9', outline: 0 }),
    }),
    serialise,
  );
  expect([await madeAgain('huge'), await madeAgain('d'), await madeAgain('d')]).toEqual([true, true, false]);
});

test('shared response: compressed bodies count towards the size limit', async () => {
  const personalise = createSharedResponses(10_000);
  const noise = randomBytes(2000).toString('hex');
  let made = 0;
  const asked = (key: string) =>
    page({
      key,
      viewerFields: /never/g,
      own: async () => [],
      make: async () => (made++, { data: noise, own: [], from: '', until: '9', outline: 0 }),
    });
  await personalise(asked('a'), serialise);
  for (let viewer = 0; viewer < 2; viewer++) await (await personalise(asked('b'), serialise)).zipped();
  expect(made).toBe(2);
  await personalise(asked('a'), serialise);
  expect(made).toBe(3);
});

test('shared response: a viewer does not retain an evicted page', async () => {
  const personalise = createSharedResponses(10);
  const viewer = {};
  const evicted = async () => {
    const made = { ...page({ viewer }), outline: {} };
    await personalise(
      { ...made, make: async () => ({ ...(await made.make()), outline: made.outline }) },
      serialise,
    );
    return new WeakRef(made.outline);
  };
  const outline = await evicted();
  await sleep(0);
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  expect(outline.deref()).toBeUndefined();
  expect(viewer).toEqual({});
});
