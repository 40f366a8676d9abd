import type { Event } from '#features/events/contract.ts';
import { isRunner } from '#features/members/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { Section } from '#ui/Section.tsx';
import { AnswerCounts } from './AnswerCounts.tsx';
import { NudgeButtons } from './NudgeButtons.tsx';
import { t } from '#features/answers/messages.ts';

/** The answers to an event in numbers, for the host and the admins of its club. */
export function Headcount({ event, club }: { event: Event; club: ClubOfUser | undefined }) {
  return club && isRunner(club.club_role, event) ? (
    <Section title={t('answers')}>
      <AnswerCounts event={event} />
      <NudgeButtons event={event} />
    </Section>
  ) : null;
}
