import { expect, test } from 'vitest';
import { first, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, codeFor, eachRound, manyPeople, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

interface Race {
  club: string;
  ada: Person;
  mia: Person;
  cyd: Person;
  /** A valid login code of Ada and Mia. */
  code: string;
}

/** What ends an offer of Ada to Mia, and the outcomes of accepting if the end comes first. */
const endings: [string, string[], (race: Race) => Promise<unknown>][] = [
  ['withdrawing', ['409 offer_ended'], ({ club, ada }) => ada.api.members.withdrawHandover({ club })],
  [
    'demoting the offering admin',
    ['409 offer_ended'],
    ({ club, ada, cyd }) => cyd.api.members.changeRole({ club, member: ada.id, role: 0 }),
  ],
  [
    'ejecting the offering admin',
    ['409 offer_ended'],
    ({ club, ada, cyd }) => cyd.api.members.eject({ club, member: ada.id }),
  ],
  [
    'ejecting the member',
    ['404 not_found'],
    ({ club, mia, cyd }) => cyd.api.members.eject({ club, member: mia.id }),
  ],
  ['the offering admin leaving', ['409 offer_ended'], ({ club, ada }) => ada.api.members.leave({ club })],
  ['the member leaving', ['404 not_found'], ({ club, mia }) => mia.api.members.leave({ club })],
  [
    'deleting the account of the offering admin',
    ['409 offer_ended'],
    ({ ada, code }) => ada.api.account.remove({ code, choices: [] }),
  ],
  [
    'deleting the account of the member',
    ['404 not_found', '401 not_signed_in'],
    ({ mia, code }) => mia.api.account.remove({ code, choices: [] }),
  ],
];

test.each(endings)(
  'accepting against %s: exactly one of both outcomes, and the club keeps an admin [CARE-07]',
  async (_, refused, end) => {
    await using w = await world();
    const [cyd] = (await manyPeople(w, 1)) as [Person];
    const seen = new Set<string>();
    for (const nth of eachRound) {
      const [ada, mia] = (await manyPeople(w, 2)) as [Person, Person];
      const [club = ''] = await clubsOf(w, [cyd, ada], [mia], 1);
      // What follows for Ada differs between the rounds.
      const afterwards = (['stay', 'step_down', 'leave'] as const)[nth % 3] ?? 'stay';
      await ada.api.members.offerHandover({ club, user_id: mia.id, afterwards });
      const code = await codeFor(w, ada.email, 'ABCDEF', 'deletion');
      await codeFor(w, mia.email, 'ABCDEF', 'deletion');
      const accepting = () => outcomeOf(mia.api.members.acceptHandover({ club, from: ada.id }));
      const ending = () => outcomeOf(end({ club, ada, mia, cyd, code }));
      // The order of the first two rounds is fixed, so that both orders occur.
      const [accepted, ended] =
        nth === 0
          ? [await accepting(), await ending()]
          : nth === 1
            ? [await ending(), await accepting()].toReversed()
            : await Promise.all([accepting(), ending()]);
      expect(['ok', ...refused]).toContain(accepted);
      // Ada is no admin any more, or not even a member, if she handed over the club before.
      expect(ended).toMatch(/^(ok|403 not_admin|404 not_found)$/);
      const logged = await first(
        w.db,
        sql<{ accepted: boolean; open: boolean }>`
          select exists (select from club_log where club_id = ${club} and kind = 'handover_accepted') as accepted,
            exists (select from handovers where club_id = ${club}) as open`,
      );
      expect(logged).toEqual({ accepted: accepted === 'ok', open: false });
      seen.add(accepted === 'ok' ? 'accepted' : 'refused');
    }
    expect([...seen].toSorted()).toEqual(['accepted', 'refused']);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
