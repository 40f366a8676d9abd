import { describe, expect, test } from 'vitest';
import { kinds, settingKeys, type Kind } from '#features/notifications/contract.ts';
import {
  isAlwaysSent,
  messageOf,
  notificationOf,
  settingsExcept,
  type Stored,
  type Subject,
} from '#features/notifications/rules.ts';

const inClub: Subject = { club_name: 'Harbour Rowers', club_slug: 'harbour-rowers' };
const ofEvent: Subject = { ...inClub, event_name: 'Regatta', event_slug: 'regatta-abcdefghij' };

const sentences: [Kind, Partial<Subject>, string][] = [
  ['new_event', ofEvent, 'Ada planned “Regatta” in Harbour Rowers.'],
  ['event_updated', ofEvent, 'Ada changed “Regatta” in Harbour Rowers.'],
  ['event_updated', { ...ofEvent, new_location: 'Pier 4' }, 'Ada moved “Regatta” to Pier 4.'],
  ['event_updated', { ...ofEvent, new_location: '' }, 'Ada changed where “Regatta” takes place.'],
  ['event_cancelled', ofEvent, 'Ada cancelled “Regatta” in Harbour Rowers.'],
  ['club_update', {}, 'Ada published an update in Harbour Rowers.'],
  ['role_changed', { role: 200 }, 'Ada made you an admin of Harbour Rowers.'],
  ['role_changed', { role: 100 }, 'Ada made you an organiser of Harbour Rowers.'],
  ['role_changed', { role: 0 }, 'Ada made you a member of Harbour Rowers.'],
  ['member_removed', {}, 'Ada removed you from Harbour Rowers.'],
  ['member_joined', {}, 'Ada joined Harbour Rowers.'],
  ['event_reminder', ofEvent, '“Regatta” in Harbour Rowers starts in less than a day.'],
  ['answered_for_you', { ...ofEvent, answer: 'going' }, 'Ada put you down as going to “Regatta”.'],
  ['answered_for_you', { ...ofEvent, answer: 'maybe' }, 'Ada put you down as maybe going to “Regatta”.'],
  ['answer_wanted', ofEvent, "Ada would like to know if you're coming to “Regatta”."],
  ['answered_for_you', { ...ofEvent, answer: 'no' }, 'Ada put you down as not going to “Regatta”.'],
  ['seat_given', ofEvent, 'You have a seat at “Regatta”.'],
  ['seat_free', ofEvent, 'A seat is free at “Regatta”.'],
  [
    'lift_changed',
    { ...ofEvent, lift: 'claimed', words: 'From the station' },
    'Ada takes a seat in your lift “From the station” to “Regatta”.',
  ],
  [
    'lift_changed',
    { ...ofEvent, lift: 'released', words: 'From the station' },
    'Ada gave back a seat in your lift “From the station” to “Regatta”.',
  ],
  [
    'lift_changed',
    { ...ofEvent, lift: 'gone', words: 'From the station' },
    'Ada cancelled the lift “From the station” to “Regatta”.',
  ],
];

test.each(sentences)('message: %s %o is “%s”', (kind, subject, sentence) => {
  expect(messageOf(kind, 'Ada', { ...inClub, ...subject })).toBe(sentence);
});

test('message: every kind has one', () => {
  expect(new Set(sentences.map(([kind]) => kind))).toEqual(new Set(kinds));
});

const always = new Set<Kind>(['event_cancelled', 'member_removed', 'seat_given']);

test.each(kinds.map((kind) => [kind, always.has(kind)] as const))(
  'isAlwaysSent: %s: %s',
  (kind, isAlways) => {
    expect(isAlwaysSent(kind, {})).toBe(isAlways);
    expect(isAlwaysSent(kind, { new_location: '' })).toBe(isAlways || kind === 'event_updated');
  },
);

describe('settings', () => {
  test('have two keys per kind and one for an email-only kind, all on by default [NOTIFSET-06]', () => {
    const both = kinds.flatMap((kind) => [kind, `email_${kind}`]);
    expect(settingKeys.toSorted()).toEqual([...both, 'email_attending'].toSorted());
    expect(settingsExcept([])).toEqual(Object.fromEntries(settingKeys.map((key) => [key, true])));
  });

  test('are off for opted-out keys; unknown keys are ignored', () => {
    const settings = settingsExcept(['new_event', 'a key of an old version']);
    expect(settings).toEqual({ ...settingsExcept([]), new_event: false });
  });
});

describe('notificationOf', () => {
  const timestamps = { created_at: '2027-01-01T00:00:00.000Z', seen_at: null, actioned_at: null };
  const stored = (more: Partial<Stored>): Stored => ({
    id: 'n',
    ...timestamps,
    kind: 'club_update',
    subject: inClub,
    actor: { first_name: 'Ada', last_name: 'Lovelace' },
    ...more,
  });

  test('returns six fields and none of the other stored columns [DATA-19]', () => {
    expect(notificationOf({ ...stored({}), user_id: 'u', cause: 'c' } as Stored)).toEqual({
      id: 'n',
      message: 'Ada Lovelace published an update in Harbour Rowers.',
      ...timestamps,
      metadata: { club_slug: 'harbour-rowers' },
    });
  });

  test.each([
    [null, 'Someone joined'],
    [{ first_name: '', last_name: '' }, 'New User joined'],
    [{ first_name: 'Bo', last_name: '' }, 'Bo joined'],
  ])('names the actor %o: %s', (actor, start) => {
    expect(notificationOf(stored({ kind: 'member_joined', actor })).message).toBe(`${start} Harbour Rowers.`);
  });

  test.each<[string, Kind, Subject, object]>([
    ['the club', 'role_changed', { ...inClub, role: 100 }, { club_slug: 'harbour-rowers' }],
    ['the event', 'new_event', ofEvent, { event_name: 'Regatta', event_slug: 'regatta-abcdefghij' }],
    [
      'nothing when the event was deleted',
      'event_cancelled',
      { ...inClub, event_name: 'Regatta' },
      { event_name: 'Regatta' },
    ],
    ['nothing for a removed member', 'member_removed', inClub, {}],
  ])('links to %s [DATA-20]', (_, kind, subject, metadata) => {
    expect(notificationOf(stored({ kind, subject })).metadata).toEqual(metadata);
  });
});
