import { againstBare } from './against-bare.ts';
import { ask } from '../faults/app.ts';
import { clubId, clubSecret, memberAt, personalSecret } from './dataset.ts';
import { answerOf, request } from './processes.ts';
import type { Bench, Measurement } from './row.ts';

interface Feed {
  what: string;
  status: 200 | 304;
  least: number;
  path(bench: Bench, club: number): string;
}

const personal: Feed['path'] = ({ shape }, club) =>
  `/api/v1/users/${personalSecret(memberAt(shape, club, 0))}/ical/calendar.ics`;
const ofClub: Feed['path'] = ({ shape }, club) =>
  `/api/v1/clubs/${clubId(club)}/ical/${clubSecret(club, memberAt(shape, club, 0))}/calendar.ics`;

/** Each may be fetched 600 times an hour in full: this leaves room for what comes before the rounds. */
const [feeds, fetches] = [200, 40];

/** The readers of full feeds differ from those of unchanged feeds. The first one hosts the large club. */
const clubsOf = ({ shape }: Bench, status: 200 | 304) => {
  const max = Math.min(feeds, Math.floor(shape.typical.clubs / 2));
  return Array.from({ length: max }, (_, nth) => 1 + (status === 304 ? max : 0) + nth);
};

/** A host of all events of a club has all of them in both calendars. */
const measure =
  ({ what, status, least, path }: Feed): Measurement =>
  async (bench) => {
    const { origin } = await bench.app();
    // What an earlier run has fetched.
    await ask(bench.url, 'delete from rate_limits');
    const units: string[][] = [];
    const clubs = clubsOf(bench, status);
    for (const club of clubs) {
      const { etag = '' } = (await answerOf(origin, { path: path(bench, club) })).headers;
      const headers: Record<string, string> = status === 304 ? { 'if-none-match': etag } : {};
      units.push([request({ path: path(bench, club), headers })]);
    }
    const answer = await answerOf(origin, { path: path(bench, clubs[0] ?? 0) });
    const size = `${(answer.body.length / 1000).toFixed(1)} kB`;
    return [
      await againstBare(bench, {
        what: `${what}, ${status === 304 ? '304' : size}`,
        answer,
        status,
        units,
        least,
        count: Math.floor((clubs.length * fetches) / bench.rounds),
      }),
    ];
  };

export const personalFeed = measure({ what: 'personal feed', status: 200, least: 0.4, path: personal });
export const knownPersonalFeed = measure({ what: 'personal feed', status: 304, least: 0.6, path: personal });
export const clubFeed = measure({ what: 'club feed', status: 200, least: 0.4, path: ofClub });
export const knownClubFeed = measure({ what: 'club feed', status: 304, least: 0.6, path: ofClub });
