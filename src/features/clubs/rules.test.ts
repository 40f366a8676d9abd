import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  viewerFieldValues,
  viewerFieldPattern,
  validityOf,
  websiteFrom,
  websiteHref,
  websiteText,
} from '#features/clubs/rules.ts';

test.each([
  ['chess.example', 'https://chess.example'],
  ['https://chess.example/', 'https://chess.example'],
  ['http://chess.example', 'http://chess.example'],
  ['HTTPS://Chess.Example/Play?a=b#c', 'https://chess.example/Play?a=b#c'],
  ['chess.example:8080/play', 'https://chess.example:8080/play'],
  ['httpclub.example', 'https://httpclub.example'],
  ['bücher.example', 'https://xn--bcher-kva.example'],
])('the website %j is kept as %j', (typed, kept) => {
  expect(websiteFrom(typed)).toBe(kept);
});

test.each([
  'javascript:',
  'javascript:alert(1)',
  '\tjava\nscript:',
  '\tjava\nscript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:',
  'data:text/html,<script>alert(1)</script>',
  'http:javascript',
  'httpx:',
  'httpx://chess.example',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://chess.example',
  'https://bank.example@evil.example',
  'https://user:word@evil.example',
  'localhost',
  'https://',
  ' ',
  'a b',
])('%j is no website [T24]', (typed) => {
  expect(websiteFrom(typed)).toBeUndefined();
});

test('whatever is typed, what is kept is a web address and stays the same when it is saved again [T24]', () => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(fc.constantFrom('javascript:', 'data:', 'http:', 'https:', '//', '\\\\'), fc.string())
      .map((p) => p.join('')),
  );
  fc.assert(
    fc.property(typed, (text) => {
      const kept = websiteFrom(text);
      if (kept === undefined) return;
      expect(kept).toMatch(/^https?:\/\/[^/@]+/);
      expect(websiteFrom(kept)).toBe(kept);
      expect(websiteHref(kept)).toBe(kept);
    }),
  );
});

test('a link to a website without a scheme is a secure one [CLUB-18]', () => {
  expect(websiteHref('chess.example')).toBe('https://chess.example');
  expect(websiteHref('http://chess.example')).toBe('http://chess.example');
  expect(websiteHref('https://chess.example/play')).toBe('https://chess.example/play');
});

test('a website is shown without its scheme [CLUB-19]', () => {
  expect(websiteText('https://chess.example/play')).toBe('chess.example/play');
  expect(websiteText('http://chess.example')).toBe('chess.example');
  expect(websiteText('chess.example')).toBe('chess.example');
});

const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`;
const between = (id: string, from: number, to: number) => ({
  id,
  start_time: at(from),
  end_time: at(to),
});
const dentist = { slug: 'dentist', name: 'The "dentist"' };
const none = { my_role: null, conflicting_events: [] };

test.each([
  ['no part in any event', [none, none], [undefined, undefined]],
  [
    'a part in one of them',
    [{ ...none, my_role: 'attendee' as const }, none],
    ['"my_role":"attendee","conflicting_events":[]', undefined],
  ],
  [
    'something else meanwhile',
    [none, { ...none, conflicting_events: [dentist] }],
    [
      undefined,
      String.raw`"my_role":null,"conflicting_events":[{"slug":"dentist","name":"The \"dentist\""}]`,
    ],
  ],
])('what is a viewer’s own on a page: %s', (_what, events, parts) => {
  const membership = { ical_feed_url_id: 'own', my_club_role: 200 as const, events: [] };
  expect(viewerFieldValues(membership, events)).toEqual([
    '"ical_feed_url_id":"own","my_club_role":200',
    ...parts,
  ]);
});

test('the places of a viewer’s own are found in the JSON of a page, and never in a text', () => {
  const event = { name: '"my_role":null,"conflicting_events":[]', my_role: null, conflicting_events: [] };
  const text = JSON.stringify({
    club_name: '"ical_feed_url_id":"","my_club_role":0',
    ical_feed_url_id: '',
    my_club_role: 0,
    events: [event, event],
  });
  expect(
    Array.from(text.matchAll(viewerFieldPattern), ([place]) => JSON.parse(`{${place}}`) as unknown),
  ).toEqual([
    { ical_feed_url_id: '', my_club_role: 0 },
    { my_role: null, conflicting_events: [] },
    { my_role: null, conflicting_events: [] },
  ]);
});

test.each([
  [0, '0001', at(1)],
  [1, at(1), at(2)],
  [2, at(2), at(3)],
  [3, at(3), at(5)],
  [4, at(3), at(5)],
  [5, at(5), '9999'],
  [9, at(5), '9999'],
])('at %i o’clock a page is the same from %s until %s', (now, from, until) => {
  expect(validityOf([between('a', 1, 3), between('b', 2, 5)], at(now))).toEqual({ from, until });
  expect(validityOf([], at(now))).toEqual({ from: '0001', until: '9999' });
});
