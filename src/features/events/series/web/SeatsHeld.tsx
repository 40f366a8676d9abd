import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { fullName } from '#features/members/rules.ts';
import type { SeatsHeld as Held, Series } from '#features/events/series/contract.ts';
import { hasSeat } from '#features/events/series/rules.ts';
import { dayAndMonth } from '#wire/format.ts';
import { listOf } from '#wire/messages.ts';
import { t } from '#features/events/series/messages.ts';

/** 'Bob and Cyd have the seats until 26 February. Then you take turns.' */
export function SeatsHeld({ series, held }: { series: Series; held: Held }) {
  const { id } = useUser();
  const isMine = hasSeat(series, held);
  const day = dayAndMonth(held.until, useNow());
  const count = held.people.length + held.others;
  const named = held.people.filter((person) => !isMine || person.id !== id).slice(0, isMine ? 2 : 3);
  const n = count - named.length - Number(isMine);
  const names = listOf([
    ...(isMine ? [t('you')] : []),
    ...named.map(fullName),
    ...(n > 0 ? [t('othersWithSeats', { n })] : []),
  ]);
  const isRegular = series.my_standing?.answer === 'going' && !series.is_host;
  const seats = isMine && count === 1 ? t('seatHeldByMe', { day }) : t('seatsHeld', { n: count, names, day });
  const turns = t(
    isMine ? 'thenYouTakeTurnsWithOthers' : isRegular ? 'thenYouTakeTurns' : 'thenMembersTakeTurns',
  );
  return <p className="text-sm text-muted wrap-anywhere">{`${seats} ${turns}`}</p>;
}
