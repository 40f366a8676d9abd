import { expect, test } from 'vitest';
import { isReady, isTimely, openingKey } from '#features/payments/rules.ts';

test('isReady: true only when nothing is missing', () => {
  const whole = { details_submitted: true, charges_enabled: true, payouts_enabled: true };
  expect(isReady(whole)).toBe(true);
  for (const part of Object.keys(whole)) expect(isReady({ ...whole, [part]: false })).toBe(false);
  expect(isReady({})).toBe(false);
});

test('isTimely: accepts signatures within five minutes', () => {
  const now = '2027-05-01T12:00:00.000Z';
  expect(isTimely('2027-05-01T11:55:00.000Z', now)).toBe(true);
  expect(isTimely('2027-05-01T11:54:59.000Z', now)).toBe(false);
  expect(isTimely('2027-05-01T12:05:01.000Z', now)).toBe(false);
});

test('openingKey: the same for one user, address and hour', () => {
  const key = openingKey('ada', 'a@b.example', '2027-05-01T12:00:00.000Z');
  expect(openingKey('ada', 'a@b.example', '2027-05-01T12:59:59.999Z')).toBe(key);
  expect(openingKey('ada', 'a@b.example', '2027-05-01T13:00:00.000Z')).not.toBe(key);
  expect(openingKey('bob', 'a@b.example', '2027-05-01T12:00:00.000Z')).not.toBe(key);
  expect(openingKey('ada', 'c@b.example', '2027-05-01T12:00:00.000Z')).not.toBe(key);
});
