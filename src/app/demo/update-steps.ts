import { handlers as updates } from '#features/updates/handlers.ts';
import { noonOf } from '#app/demo/dates.ts';
import { day, hour, minute, unwrap, type As, type ClubState, type Step } from '#app/demo/steps.ts';

/** The updates of a club. Two of three members have read an important one, each half an hour after the one before. */
export function updateSteps(club: ClubState): Step[] {
  return club.updates.flatMap(({ by, daysAgo, content, important = false }, index) => {
    const at = noonOf(club, club.now - daysAgo * day) + (index % 5) * hour + index * 7 * minute;
    let id = '';
    const publish = async (as: As) => {
      id = unwrap(await updates.publish(await as(by), { club: club.id, content, important })).id;
    };
    const isReader = ([key, joined]: [string, number], nth: number) =>
      key !== by && joined < at && nth % 3 !== 2;
    const readers = important ? [...club.joined].filter(isReader) : [];
    const reads = readers.map(([key], nth) => ({
      at: at + (nth + 1) * 30 * minute,
      act: async (as: As) => updates.read(await as(key), { club: club.id, update: id }),
    }));
    return [{ at, act: publish }, ...reads];
  });
}
