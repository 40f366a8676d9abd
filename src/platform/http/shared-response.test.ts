import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSharedResponses, type Page, type Parts } from '#platform/http/shared-response.ts';

const write = (data: unknown) => JSON.stringify(data);

const own = async (outline: unknown): Promise<Parts> => [undefined, `"own":"${String(outline)} ä"`];

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

test('fills the gaps of each viewer and tells their octets apart', async () => {
  const keep = createSharedResponses();
  const ada = await keep(page(), write);
  const bob = await keep(page({ own: async () => ['"own":"ß"', undefined] }), write);
  const text = 'é "own":0 €';
  expect(JSON.parse(ada.body().toString())).toEqual({ text, own: 0, list: [{ own: '2 ä' }] });
  expect(JSON.parse(bob.body().toString())).toEqual({ text, own: 'ß', list: [{ own: 0 }] });
  expect(ada.tag).not.toBe(bob.tag);
  expect((await keep(page(), write)).tag).toBe(ada.tag);
});

test('makes a page once for each mark, for those too who come while it is being made', async () => {
  const keep = createSharedResponses();
  const first = page();
  await Promise.all([keep(first, write), keep(first, write), keep(first, write)]);
  await keep(first, write);
  expect(first.made).toBe(1);
  const second = page({ version: '2' });
  await keep(second, write);
  await keep(second, write);
  expect(second.made).toBe(1);
  await keep(first, write);
  expect(first.made).toBe(2);
});

test('asks once what is a viewer’s own, as long as viewer and page are the same', async () => {
  const keep = createSharedResponses();
  let asked = 0;
  const own = async () => {
    asked++;
    return [`"own":${asked}`, undefined];
  };
  const viewer = {};
  const texts: string[] = [];
  for (const more of [{}, {}, { version: '2' }, { version: '2' }, { version: '2', viewer: {} }]) {
    texts.push((await keep(page({ viewer, own, ...more }), write)).body().toString());
  }
  expect(texts.map((text) => (JSON.parse(text) as { own: number }).own)).toEqual([1, 1, 2, 2, 3]);
});

test('whoever has a page made gets their own with it, and whoever comes meanwhile asks for theirs', async () => {
  const keep = createSharedResponses();
  const asked: string[] = [];
  const by = (name: string) =>
    page({
      viewer: { name },
      own: async () => (asked.push(name), [`"own":"${name}"`, undefined]),
    });
  const kept = await Promise.all(['Ada', 'Bob', 'Cleo'].map((name) => keep(by(name), write)));
  const owns = kept.map(({ body }) => (JSON.parse(body().toString()) as { own: string }).own);
  expect(owns).toEqual(['Ada', 'Bob', 'Cleo']);
  expect(asked.toSorted()).toEqual(['Ada', 'Bob', 'Cleo']);
});

test('what could not be asked for is asked for again', async () => {
  const keep = createSharedResponses();
  await keep(page(), write);
  const viewer = {};
  const broken = page({ viewer, own: () => Promise.reject(new Error('broken')) });
  await expect(keep(broken, write)).rejects.toThrow('broken');
  expect((await keep(page({ viewer }), write)).body().toString()).toContain('2 ä');
});

test('makes it again at a time for which it was not made', async () => {
  const keep = createSharedResponses();
  const made = async (now: string) => {
    const asked = page({ now });
    await keep(asked, write);
    return asked.made;
  };
  expect(await made('2026-01-01')).toBe(1);
  expect([await made('2026-01-01'), await made('2026-01-02T23:59:59')]).toEqual([0, 0]);
  expect([await made('2026-01-03'), await made('2025-12-31')]).toEqual([1, 1]);
});

test('keeps no page that could not be made', async () => {
  const keep = createSharedResponses();
  const broken = page({ make: () => Promise.reject(new Error('broken')) });
  const both = await Promise.allSettled([keep(broken, write), keep(page(), write)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await keep(page(), write)).body().length).toBeGreaterThan(0);
});

test('never answers with gaps that are not those of the viewer', async () => {
  const keep = createSharedResponses();
  await expect(keep(page({ own: async () => ['one too few'] }), write)).rejects.toThrow('2 gaps');
});

test('lets go of what nobody has asked for the longest', async () => {
  const keep = createSharedResponses(2500);
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
    await keep({ ...asked, make: () => ((again = true), asked.make()) }, write);
    return again;
  };
  expect([await madeAgain('a'), await madeAgain('b'), await madeAgain('a')]).toEqual([true, true, false]);
  expect(await madeAgain('c')).toBe(true);
  expect([await madeAgain('a'), await madeAgain('c'), await madeAgain('b')]).toEqual([false, false, true]);
  await keep(
    page({
      ...big('huge'),
      make: async () => ({ data: 'x'.repeat(9000), own: [], from: '', until: '9', outline: 0 }),
    }),
    write,
  );
  expect([await madeAgain('huge'), await madeAgain('d'), await madeAgain('d')]).toEqual([true, true, false]);
});

test('what is compressed for each viewer counts as well', async () => {
  const keep = createSharedResponses(10_000);
  const noise = randomBytes(2000).toString('hex');
  let made = 0;
  const asked = (key: string) =>
    page({
      key,
      viewerFields: /never/g,
      own: async () => [],
      make: async () => (made++, { data: noise, own: [], from: '', until: '9', outline: 0 }),
    });
  await keep(asked('a'), write);
  for (let viewer = 0; viewer < 2; viewer++) await (await keep(asked('b'), write)).zipped();
  expect(made).toBe(2);
  await keep(asked('a'), write);
  expect(made).toBe(3);
});

test('a viewer who is known keeps no page that was let go of', async () => {
  const keep = createSharedResponses(10);
  const viewer = {};
  const kept = async () => {
    const made = { ...page({ viewer }), outline: {} };
    await keep({ ...made, make: async () => ({ ...(await made.make()), outline: made.outline }) }, write);
    return new WeakRef(made.outline);
  };
  const outline = await kept();
  await sleep(0);
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  expect(outline.deref()).toBeUndefined();
  expect(viewer).toEqual({});
});
