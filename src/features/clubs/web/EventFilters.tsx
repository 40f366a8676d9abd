import { Search } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useNow } from '#web/useNow.ts';
import type { Club } from '#features/clubs/contract.ts';
import { monthAfter, monthsBetween } from '#features/clubs/rules.ts';
import { dayKey, monthYear } from '#wire/format.ts';
import type { Instant } from '#wire/instant.ts';
import { cn } from '#ui/class-names.ts';
import { IconButton } from '#ui/IconButton.tsx';
import { SegmentedControl } from '#ui/SegmentedControl.tsx';
import { Select } from '#ui/Select.tsx';
import { t } from '#features/clubs/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const SearchDialog = lazyPart(() => import('#features/search/web/SearchDialog.tsx'));

export interface EventFilter {
  whose: 'all' | 'mine';
  /** '2026-12', or '' for all months. */
  month: string;
}

type EventFiltersProps = {
  club: Pick<Club, 'slug' | 'club_name' | 'created_at' | 'events'>;
  filter: EventFilter;
  onChange: (filter: EventFilter) => void;
  className?: string | false;
};

/** Searches the events of a club. */
export function EventSearch({ club }: Pick<EventFiltersProps, 'club'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        icon={Search}
        label={t('searchEvents')}
        className="offline:hidden"
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Suspense>
          <SearchDialog club={club} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Chooses which events of a club are shown. */
export function EventFilters({ club, filter, onChange, className }: EventFiltersProps) {
  return (
    <div className={cn('mb-2 flex flex-wrap items-center gap-2 sm:mb-4', className)}>
      <SegmentedControl
        label={t('whoseEvents')}
        options={[
          { value: 'all', label: t('all') },
          { value: 'mine', label: t('mine') },
        ]}
        value={filter.whose}
        onChange={(whose) => onChange({ ...filter, whose })}
      />
      <Select
        aria-label={t('month')}
        value={filter.month}
        onChange={({ target }) => onChange({ ...filter, month: target.value })}
        className="w-auto! grow basis-32 sm:max-w-52"
      >
        <option value="">{t('allMonths')}</option>
        <Months club={club} chosen={filter.month} />
      </Select>
    </div>
  );
}

const monthOf = (time: Instant) => dayKey(time).slice(0, 7);

const optionsOf = (months: readonly string[]) =>
  months.map((month) => (
    <option key={month} value={month}>
      {monthYear(month, 'UTC')}
    </option>
  ));

/** The options from the creation of the club to a year from now, and further if known events or the choice are there. */
function Months({ club, chosen }: { club: EventFiltersProps['club']; chosen: string }) {
  const now = monthOf(useNow());
  const loaded = [club.created_at, ...club.events.map(({ start_time }) => start_time)].map(monthOf);
  const sorted = [...loaded, now, monthAfter(now, 12), chosen || now].sort();
  const months = monthsBetween(sorted[0] ?? now, sorted.at(-1) ?? now);
  const past = months.filter((each) => each < now).reverse();
  return (
    <>
      <optgroup label={t('upcoming')}>{optionsOf(months.filter((each) => each >= now))}</optgroup>
      {past.length > 0 && <optgroup label={t('previous')}>{optionsOf(past)}</optgroup>}
    </>
  );
}
