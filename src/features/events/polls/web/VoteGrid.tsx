import { Check, CircleDashed, Minus } from 'lucide-react';
import type { OpenTime, Vote, Voter } from '#features/events/time-contract.ts';
import { fullName } from '#features/members/rules.ts';
import { cn } from '#ui/class-names.ts';
import { shortDay, timeOfDay } from '#wire/format.ts';
import { t } from '#features/events/polls/messages.ts';

const looks = {
  yes: { icon: Check, look: 'bg-ok-soft text-ok' },
  if_needed: { icon: CircleDashed, look: 'bg-warn-soft text-warn' },
  no: { icon: Minus, look: 'text-muted' },
} as const;

/** The votes as a table of members and times, for wide screens. */
export function VoteGrid({ times }: { times: readonly OpenTime[] }) {
  const voters = new Map<string, Voter>();
  for (const voter of times.flatMap((time) => time.voters)) voters.set(voter.attendee_id, voter);
  if (voters.size === 0) return null;
  const votes = times.map((time) => ({
    id: time.id,
    start: time.start_time,
    of: new Map(time.voters.map(({ attendee_id, vote }) => [attendee_id, vote])),
  }));
  return (
    <div className="mt-6 overflow-x-auto max-lg:hidden">
      <table className="text-sm">
        <caption className="pb-2 text-left text-base font-semibold">{t('voters')}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{t('member')}</span>
            </th>
            {votes.map(({ id, start }) => (
              <th key={id} scope="col" className="px-1 pb-2 font-semibold whitespace-nowrap">
                {shortDay(start)}
                <span className="block font-normal text-muted">{timeOfDay(start)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...voters.values()].map((voter) => (
            <tr key={voter.attendee_id}>
              <th scope="row" className="max-w-56 pr-4 text-left font-medium wrap-anywhere">
                {fullName(voter)}
              </th>
              {votes.map(({ id, of }) => (
                <td key={id} className="p-0.5 text-center">
                  <Cell vote={of.get(voter.attendee_id)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A vote as a shape, not only as a colour. Empty if the member has not voted on this time. */
function Cell({ vote }: { vote: Vote | undefined }) {
  if (!vote) return null;
  const { icon: Icon, look } = looks[vote];
  return (
    <span className={cn('mx-auto grid h-8 min-w-16 place-items-center rounded-md', look)}>
      <Icon aria-hidden className="size-4" />
      <span className="sr-only">{t(vote)}</span>
    </span>
  );
}
