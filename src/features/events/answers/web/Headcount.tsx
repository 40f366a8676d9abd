import { Link } from 'react-router';
import { whyCannotCheckIn } from '#features/events/checkins/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { whyCannotHandOver } from '#features/events/form-rules.ts';
import { ChangeOfPlan } from '#features/events/web/ChangeOfPlan.tsx';
import { isRunner, role } from '#features/members/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { Section } from '#ui/Section.tsx';
import { AnswerCounts, CalendarsThatKnow, Confirmed } from './AnswerCounts.tsx';
import { NudgeButtons } from './NudgeButtons.tsx';
import { t } from '#features/events/answers/messages.ts';

type HeadcountProps = { event: Event; club: ClubOfUser | undefined; now: Instant };

/** The answers to an event in numbers, for the host and the admins of its club. */
export function Headcount({ event, club, now }: HeadcountProps) {
  return club && isRunner(club.club_role, event) ? (
    <Section
      title={t('answers')}
      actions={
        <>
          {!whyCannotCheckIn(event, now) && (
            <Button asChild variant="secondary" size="sm">
              <Link to={`/app/events/${event.slug}/check-in`}>{t('checkIn')}</Link>
            </Button>
          )}
          {!whyCannotHandOver(event, now) && (
            <ChangeOfPlan event={event} isAdmin={club.club_role === role.admin} />
          )}
        </>
      }
    >
      <AnswerCounts event={event} />
      <Confirmed event={event} now={now} />
      <CalendarsThatKnow event={event} now={now} />
      <NudgeButtons event={event} />
    </Section>
  ) : null;
}
