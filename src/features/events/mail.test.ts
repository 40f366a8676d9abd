import { beforeAll, expect, test } from 'vitest';
import { loadLanguages } from '#platform/languages.ts';
import { inLook } from '#wire/look.ts';
import { withReason } from '#features/events/mail.ts';

beforeAll(loadLanguages);

test.each([
  [{}, 'Moved.', 'Moved.'],
  [{ reason: null, words: '' }, 'Moved.', 'Moved.'],
  [{ reason: 'other' }, 'Moved.', 'Moved.'],
  [{ reason: 'weather' }, 'Moved. Reason: weather.', 'Moved. Grund: Wetter.'],
  [{ reason: 'venue' }, 'Moved. Reason: venue.', 'Moved. Grund: Ort nicht verfügbar.'],
  [{ reason: 'illness' }, 'Moved. Reason: illness.', 'Moved. Grund: Krankheit.'],
  [{ reason: 'too_few' }, 'Moved. Reason: too few people.', 'Moved. Grund: zu wenige Zusagen.'],
  [{ words: 'Storm' }, 'Moved. Storm.', 'Moved. Storm.'],
  [{ reason: 'other', words: 'Really?' }, 'Moved. Really?', 'Moved. Really?'],
  [{ reason: 'weather', words: 'Storm!' }, 'Moved. Weather: Storm!', 'Moved. Wetter: Storm!'],
  [
    { reason: 'venue', words: '{reason} #1' },
    'Moved. Venue: {reason} #1.',
    'Moved. Ort nicht verfügbar: {reason} #1.',
  ],
  [{ reason: 'illness', words: 'Ann' }, 'Moved. Illness: Ann.', 'Moved. Krankheit: Ann.'],
  [{ reason: 'too_few', words: 'Two' }, 'Moved. Too few people: Two.', 'Moved. Zu wenige Zusagen: Two.'],
] as const)('a sentence with %j [CALL-02]', (change, english, german) => {
  expect(withReason('Moved.', change)).toBe(english);
  const inGerman = inLook({ language: 'de', clock: 'auto' }, () => withReason('Moved.', change));
  expect(inGerman).toBe(german);
});
