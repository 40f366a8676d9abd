import { Check, ChevronDown } from 'lucide-react';
import { useUser } from '#web/useSession.ts';
import type { AnswerList, MemberAnswer } from '#features/events/answers/contract.ts';
import { needsExtraSeats } from '#features/events/answers/form-rules.ts';
import type { Answer, Choice } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import { sourceSet } from '#wire/pictures.ts';
import { fullName, ownName } from '#features/members/rules.ts';
import { CallButton } from '#features/members/web/CallButton.tsx';
import type { Instant } from '#wire/instant.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';
import { relativeTime } from '#wire/format.ts';
import { Menu, MenuItem, MenuLabel } from '#ui/Menu.tsx';
import { listNames } from './AnswerCounts.tsx';
import { useAnswerFor } from './useAnswerFor.ts';
import { t as ofLists } from '#features/events/answers/list-messages.ts';
import { t } from '#features/events/answers/messages.ts';

type AnswerRowProps = {
  event: Event;
  member: MemberAnswer;
  /** The id of the member in the row above. */
  previous: string | undefined;
  list: AnswerList;
  canAnswer: boolean;
  /** When the viewer last visited the event. */
  lastVisit: Instant | null;
  now: Instant;
};

const answers: readonly Choice[] = ['going', 'maybe', 'no'];

/** The answer of one member, and a menu to answer for them. The host has no menu, because the host is always going. */
export function AnswerRow({ event, member, previous, list, canAnswer, lastVisit, now }: AnswerRowProps) {
  const me = useUser().id;
  const { saved, busy, problem, answerFor } = useAnswerFor(event, member);
  const name = fullName(member);
  const answer = saved?.answer ?? list;
  const { guests, note } = saved ?? member;
  const isHost = member.attendee_role === 'organiser';
  const isNew = lastVisit !== null && member.id !== me && (member.changed_at ?? lastVisit) > lastVisit;
  const isAnswer = answer !== 'silent' && answer !== 'unconfirmed' && answer !== 'unreached';
  const held = { my_answer: isAnswer ? (answer as Answer) : null, my_guests: guests };
  const isOver = needsExtraSeats({ ...event, ...held }, { answer: 'going', guests });
  const giveSeat = isOver ? t('giveExtraSeat') : t('giveSeat');
  return (
    <li className="flex flex-wrap items-start gap-x-3 px-4 py-3">
      <Avatar
        name={ownName(member)}
        seed={member.id}
        previous={previous}
        src={member.profile_picture_url}
        srcSet={sourceSet(member.profile_picture_url, 'person')}
        size="md"
      />
      <p className="flex min-h-11 max-w-full flex-1 basis-[4.5em] flex-wrap items-center gap-x-2 gap-y-1 leading-tight">
        <span className="max-w-full font-semibold wrap-break-word">
          {member.place !== null && <span className="text-muted tabular-nums">{member.place}. </span>}
          <span>{name}</span>
          {member.id === me && <span className="font-normal text-muted"> {t('you')}</span>}
        </span>
        {member.can_call && <CallButton club={event.owner_club_id} member={member} className="-mx-2" />}
        {isHost && <Badge tone="accent">{t('host')}</Badge>}
        {isNew && <Badge tone="accent">{t('new')}</Badge>}
        {guests > 0 && (
          <Badge>
            <span aria-hidden>+{guests}</span>
            <span className="sr-only">{t('plusGuests', { n: guests })}</span>
          </Badge>
        )}
        {member.why && !saved && (
          <Badge tone="warn">{ofLists(member.why === 'not_delivered' ? 'notDelivered' : 'onItsWay')}</Badge>
        )}
        {member.over && answer === 'going' && <Badge tone="warn">{t('extraSeat')}</Badge>}
        {member.lets_pass && answer === 'waiting' && <Badge>{t('letsPass')}</Badge>}
      </p>
      {canAnswer && !isHost && (
        <Menu
          trigger={
            <Button
              variant="secondary"
              size="sm"
              className="ml-auto"
              busy={busy}
              aria-label={
                answer === 'unreached'
                  ? t('answerFor', { name })
                  : t('answerOf', { name, answer: listNames()[answer] })
              }
            >
              {answer === 'silent' || answer === 'unreached' ? t('answer') : listNames()[answer]}
              <ChevronDown aria-hidden />
            </Button>
          }
        >
          <MenuLabel className="max-w-64 wrap-anywhere">{t('answerFor', { name })}</MenuLabel>
          {answers.map((each) => (
            <MenuItem
              key={each}
              aria-current={each === answer || undefined}
              onSelect={() => each !== answer && answerFor(each, each === 'going' && isOver)}
            >
              {each === 'going' && (answer === 'waiting' || isOver) ? giveSeat : listNames()[each]}
              {each === answer && <Check aria-hidden className="ml-auto" />}
            </MenuItem>
          ))}
        </Menu>
      )}
      <div className="flex w-full min-w-0 flex-col gap-1 pl-14 empty:hidden">
        {member.reply && answer !== 'no' && <p className="font-semibold wrap-anywhere">{member.reply}</p>}
        {note && <p className="whitespace-pre-line wrap-anywhere">{note}</p>}
        {member.answered_at && !saved && (
          <p className="text-sm text-muted">
            <time dateTime={member.answered_at}>{relativeTime(member.answered_at, now)}</time>
            {member.via === 'runner' && (
              <span>
                {' · '}
                {t('answeredBy', { name: member.answered_by ? fullName(member.answered_by) : t('someone') })}
              </span>
            )}
          </p>
        )}
        {problem && (
          <p role="alert" className="text-sm text-muted">
            {problem}
          </p>
        )}
      </div>
    </li>
  );
}
