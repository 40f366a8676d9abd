import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { contracts } from '#features/contracts.ts';
import type { Endpoint } from '#wire/endpoint.ts';

const endpoints = Object.entries(contracts).flatMap(([noun, contract]) =>
  Object.entries<Partial<Endpoint>>(contract).map(([name, endpoint]) => ({
    call: `${noun}.${name}`,
    endpoint,
  })),
);
const versioned = endpoints.filter(({ endpoint }) => endpoint.versioned).map(({ call }) => call);

/** Endpoints that replace data without a version, and the reason why no input of other people is lost. */
const unversioned = {
  'users.update': "the user's own profile, and the form takes untouched fields from the newest data",
  'notifications.saveSettings':
    "the user's own settings, and the form takes untouched ones from the newest data",
  'absences.change': "the user's own days",
  'push.saveDevice': "the subscription of the user's own browser",
  'calendar.choose': "one value of the user's own",
  'members.setContact': "one value of the user's own",
  'members.mute': "one value of the user's own",
  'members.leave': "ends the user's own membership",
  'members.eject': 'ends a membership, and repeats have no effect',
  'members.changeRole': 'one value, which every admin sees and about which the member is notified',
  'answers.answerFor': 'omitted fields keep their value, and the member is notified',
  'answers.answer': "the user's own answer, and omitted fields keep their value",
  'hosts.handOver': 'one value, which the history shows and about which both hosts are notified',
  'hosts.add': 'adds one host, whom the history shows and who is notified',
  'polls.vote': "the user's own votes",
  'series.standing': "the user's own answer",
  'checkins.save':
    'one value for each person; omitted people keep theirs, and the response has what is saved',
  'sections.save':
    'sections that are not sent stay, omitted names too, and two admins cannot give two sections the same name',
  'sections.changeMembers': 'members to add and to remove; all others keep their sections',
  'slots.claim': "the user's own places, checked against the free places under a lock",
  'clubs.setFirstSteps': "one value of the user's own",
};

test('endpoints: each that replaces data compares versions, or gives a reason why not [C23]', () => {
  const replacing = endpoints
    .filter(({ endpoint: { method, writes } }) => writes && (method === 'PUT' || method === 'PATCH'))
    .map(({ call }) => call);
  expect(replacing.toSorted()).toEqual([...versioned, ...Object.keys(unversioned)].toSorted());
});

/** Screens that save with a version and lose no input, and what happens after a conflict. */
const losingNothing = {
  'src/features/events/questions/web/AnswerForm.tsx':
    'one text, which stays while the answer of the other host appears (Questions.test.tsx)',
  'src/features/members/web/AskAboutOrganisers.tsx':
    'two buttons, which stay if nobody has decided meanwhile',
};

test('screens: each that saves with a version is covered by the test of shared forms [C23]', async () => {
  const calls = versioned.map((call) => `api.${call}(`);
  const files = await Array.fromAsync(glob('src/**/web/**/*.{ts,tsx}'));
  const saving = await Promise.all(
    files
      .filter((file) => !file.includes('.test.'))
      .map(async (file) => {
        const source = await readFile(file, 'utf8');
        return calls.some((call) => source.includes(call)) ? [file] : [];
      }),
  );
  const tested = await readFile('src/app/web/shared-forms.test.tsx', 'utf8');
  const named = [...tested.matchAll(/file: '(.+)'/g)].map(([, file]) => `src/${file}`);
  expect(saving.flat().toSorted()).toEqual(
    [...new Set([...named, ...Object.keys(losingNothing)])].toSorted(),
  );
});
