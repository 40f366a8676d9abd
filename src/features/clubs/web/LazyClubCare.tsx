import type { Club } from '#features/clubs/contract.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

export const ClubCare = lazyPart(() =>
  import('./ClubCare.tsx').then((module) => ({ default: module.ClubCare })),
);

/** Whether the viewer needs this part of the club page: the two people of an offer, and an only admin. */
export const needsClubCare = ({ handover, needs_second_admin }: Club): boolean =>
  needs_second_admin || handover !== null;
