import { ask } from '../faults/app.ts';
import { clubId, clubSecret, inSeat, personalSecret } from './dataset.ts';
import { answerOf, openBare, request } from './processes.ts';
import { atLeast, expectOnly, inTurn, type Bench, type Measurement } from './row.ts';

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

/** Whoever hosts all events of a club has all of them in both calendars. Each may ask sixty times an hour, so all of them ask. */
const measure =
  ({ what, status, least, path }: Feed): Measurement =>
  async (bench) => {
    const { load, rounds, seconds, shape, url } = bench;
    const { origin } = await bench.app();
    const clubs = Array.from({ length: Math.min(200, shape.typical.clubs) }, (_, club) => club);
    const known = async (club: number): Promise<Record<string, string>> =>
      status === 304
        ? { 'if-none-match': (await answerOf(origin, { path: path(bench, club) })).headers['etag'] ?? '' }
        : {};
    const units: string[][] = [];
    for (const club of clubs) units.push([request({ path: path(bench, club), headers: await known(club) })]);
    const answer = await answerOf(origin, { path: path(bench, 0) });
    const bare = await openBare('http', answer);
    let from = 0;
    const rate = async (at: string, asked: string[][]) => {
      await ask(url, 'delete from rate_limits');
      const { perSecond, statuses, next } = await load.run({
        origin: at,
        units: asked,
        from,
        connections: 32,
        seconds,
      });
      from = next % units.length;
      expectOnly(status, statuses);
      return perSecond;
    };
    const compared = await inTurn(
      rounds,
      () => rate(origin, units),
      () => rate(bare.origin, units.slice(0, 1)),
    ).finally(bare.close);
    const size = `${(answer.body.length / 1000).toFixed(1)} kB`;
    return [atLeast(`${what}, ${status === 304 ? '304' : size}`, 'node:http, same bytes', compared, least)];
  };

export const personalFeed = measure({ what: 'personal feed', status: 200, least: 0.4, path: personal });
export const knownPersonalFeed = measure({ what: 'personal feed', status: 304, least: 0.6, path: personal });
export const clubFeed = measure({ what: 'club feed', status: 200, least: 0.4, path: ofClub });
export const knownClubFeed = measure({ what: 'club feed', status: 304, least: 0.6, path: ofClub });
