import type { Club } from '#features/clubs/contract.ts';
import { UpdateReads } from '#features/updates/web/LazyUpdateParts.tsx';
import { type LazyFile, lazyPart } from '#ui/LazyPart.tsx';

export const ClubCare = lazyPart(() =>
  import('./ClubCare.tsx').then((module) => ({ default: module.ClubCare })),
);
export const FirstSteps = lazyPart(() =>
  import('./FirstSteps.tsx').then((module) => ({ default: module.FirstSteps })),
);

const ofCare: LazyFile = { file: '../../features/clubs/web/ClubCare.tsx', parts: [ClubCare] };
const ofFirstSteps: LazyFile = { file: '../../features/clubs/web/FirstSteps.tsx', parts: [FirstSteps] };

const ofReads: LazyFile = {
  file: '../../features/updates/web/UpdateReads.tsx',
  parts: [UpdateReads],
};

/** All parts of the club page that only some viewers need. */
export const lazyClubParts: readonly LazyFile[] = [ofCare, ofFirstSteps, ofReads];

/** Whether the club page has something to settle: for the two people of an offer, and for an only admin. */
export const needsClubCare = ({ handover, needs_second_admin }: Club): boolean =>
  needs_second_admin || handover !== null;

/** The files that the viewer needs at first. */
export const lazyClubPartsFor = (club: Club): LazyFile[] => [
  ...(needsClubCare(club) ? [ofCare] : []),
  ...(club.first_steps ? [ofFirstSteps] : []),
  ...(club.latest_update?.important ? [ofReads] : []),
];
