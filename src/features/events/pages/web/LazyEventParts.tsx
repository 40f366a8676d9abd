import * as runnerParts from '#features/events/answers/web/LazyRunnerParts.tsx';
import type { Event } from '#features/events/contract.ts';
import { isRunner } from '#features/members/rules.ts';
import type { User } from '#features/users/contract.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

export const Poll = lazyPart(() =>
  import('#features/events/polls/web/Poll.tsx').then((module) => ({ default: module.Poll })),
);

/** A file with parts of the event page that only some viewers or events need, by its path from src/app/web. */
interface LazyFile {
  file: string;
  parts: { load: () => Promise<void> }[];
}

const ofPolls: LazyFile = { file: '../../features/events/polls/web/Poll.tsx', parts: [Poll] };
const ofRunners: LazyFile = {
  file: '../../features/events/answers/web/RunnerParts.tsx',
  parts: Object.values(runnerParts),
};

/** The files that the viewer needs at first. */
export function lazyPartsFor(event: Event, { clubs }: Pick<User, 'clubs'>): LazyFile[] {
  const club = clubs.find(({ id }) => id === event.owner_club_id);
  if (!club) return [];
  return [...(event.polling ? [ofPolls] : []), ...(isRunner(club, event) ? [ofRunners] : [])];
}

/** Loads parts, which are then rendered at once: the page is complete when it appears. */
export async function loadParts(files: readonly LazyFile[] = [ofPolls, ofRunners]): Promise<void> {
  await Promise.all(files.flatMap(({ parts }) => parts).map(({ load }) => load()));
}
