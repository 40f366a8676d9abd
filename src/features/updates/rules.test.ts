import { expect, test } from 'vitest';
import { summaryOf, whyCannotChange } from '#features/updates/rules.ts';

test.each([
  ['a planner', 'their own', true, 'me', undefined],
  ['a planner', "another user's", true, 'you', undefined],
  ['a planner', 'an authorless', true, null, undefined],
  ['a member', 'their own', false, 'me', undefined],
  ['a member', "another user's", false, 'you', 'not_author'],
  ['a member', 'an authorless', false, null, 'not_author'],
] as const)('whyCannotChange: %s and %s update [UX-29]', (_who, _what, changesAll, creator_id, error) => {
  expect(whyCannotChange({ user_id: 'me', changesAll }, { creator_id })).toBe(error);
});

test.each([
  ['Dear all,\n\nThe boat is mended.\nSee you', 'The boat is mended.\nSee you'],
  ['Liebe Sängerinnen und Sänger,\r\nam Samstag ist Probe.', 'Am Samstag ist Probe.'],
  ["Dear all,\nit's on", "It's on"],
  ['Hi all,\nexample.org/plan has the plan.', 'example.org/plan has the plan.'],
  ['Hallo zusammen!\nProbe fällt aus!', 'Probe fällt aus!'],
  ['Hi all\n🎉🎉\n---\nWe won.', 'We won.'],
  ['Training cancelled!\nSee you next week.', 'Training cancelled!\nSee you next week.'],
  [
    'Hallo, morgen fällt das Training aus.\nBis Dienstag',
    'Hallo, morgen fällt das Training aus.\nBis Dienstag',
  ],
  ['Hi all training is off tomorrow\nSorry', 'Hi all training is off tomorrow\nSorry'],
  ['Hidden stairs,\nmind your step.', 'Hidden stairs,\nmind your step.'],
  ['Dear all,', 'Dear all,'],
  ['🎉', '🎉'],
])('summaryOf: %j is shown as %j [CLUBUX-02]', (content, summary) => {
  expect(summaryOf(content)).toBe(summary);
});
