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
  'users.update': 'the own profile, and the form takes untouched fields from the newest data',
  'notifications.saveSettings': 'own settings, and the form takes untouched ones from the newest data',
  'calendar.choose': 'one own value',
  'members.leave': 'ends the own membership',
  'members.eject': 'ends a membership, and repeats have no effect',
  'members.changeRole': 'one value, which its member is told and every admin sees',
  'answers.answerFor': 'fields that are not sent stay, and the member is told',
  'answers.answer': 'the own answer, and fields that are not sent stay',
  'answers.handOver': 'one value, which the history shows, and both hosts are told',
  'polls.vote': 'the own votes',
  'series.standing': 'the own answer',
  'checkins.save':
    'one value for each person; people who are not sent stay, and the response has what is saved',
  'slots.claim': 'the own places, checked against the free ones behind a lock',
  'clubs.setFirstSteps': 'one own value',
};

test('endpoints: each that replaces data compares versions, or gives a reason why not [C23]', () => {
  const replacing = endpoints
    .filter(({ endpoint: { method, writes } }) => writes && (method === 'PUT' || method === 'PATCH'))
    .map(({ call }) => call);
  expect(replacing.toSorted()).toEqual([...versioned, ...Object.keys(unversioned)].toSorted());
});

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
  expect(saving.flat().toSorted()).toEqual([...new Set(named)].toSorted());
});
