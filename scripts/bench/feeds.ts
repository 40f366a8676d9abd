import { againstBare } from './against-bare.ts';
import { ask } from '../faults/app.ts';
import { clubId, clubSecret, inSeat, personalSecret } from './dataset.ts';
import { answerOf, request } from './processes.ts';
import type { Bench, Measurement } from './row.ts';

interface Feed {
  what: string;
  status: 200 | 304;
  least: number;
  path(bench: Bench, club: number): string;
}

const personal: Feed['path'] = ({ shape }, club) =>
  `/api/v1/users/${personalSecret(inSeat(shape, club, 0))}/ical/calendar.ics`;
const ofClub: Feed['path'] = ({ shape }, club) =>
  `/api/v1/clubs/${clubId(club)}/ical/${clubSecret(club, inSeat(shape, club, 0))}/calendar.ics`;

const clubsOf = ({ shape }: Bench) =>
  Array.from({ length: Math.min(200, shape.typical.clubs) }, (_, club) => club);

/** Whoever hosts all events of a club has all of them in both calendars. Each may ask sixty times an hour, so all of them ask. */
const measure =
  ({ what, status, least, path }: Feed): Measurement =>
  async (bench) => {
    const { origin } = await bench.app();
    const units: string[][] = [];
    for (const club of clubsOf(bench)) {
      const { etag = '' } = (await answerOf(origin, { path: path(bench, club) })).headers;
      const headers: Record<string, string> = status === 304 ? { 'if-none-match': etag } : {};
      units.push([request({ path: path(bench, club), headers })]);
    }
    const answer = await answerOf(origin, { path: path(bench, 0) });
    const size = `${(answer.body.length / 1000).toFixed(1)} kB`;
    const before = () => ask(bench.url, 'delete from rate_limits');
    return [
      await againstBare(bench, {
        what: `${what}, ${status === 304 ? '304' : size}`,
        answer,
        status,
        units,
        least,
        before,
      }),
    ];
  };

export const personalFeed = measure({ what: 'personal feed', status: 200, least: 0.4, path: personal });
export const knownPersonalFeed = measure({ what: 'personal feed', status: 304, least: 0.6, path: personal });
export const clubFeed = measure({ what: 'club feed', status: 200, least: 0.4, path: ofClub });
export const knownClubFeed = measure({ what: 'club feed', status: 304, least: 0.6, path: ofClub });
