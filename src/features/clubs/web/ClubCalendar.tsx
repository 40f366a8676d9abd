import { CalendarDays } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Club } from '#features/clubs/contract.ts';
import { Button, type ButtonProps } from '#ui/Button.tsx';
import { useFirstSteps } from './useFirstSteps.ts';
import { t } from '#features/clubs/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const CalendarDialog = lazyPart(() =>
  import('#features/calendar/web/CalendarDialog.tsx').then((module) => ({ default: module.CalendarDialog })),
);

type ClubCalendarProps = { club: Club; label?: string } & Pick<ButtonProps, 'variant' | 'size' | 'className'>;

/** A button that opens the calendar links of the club. */
export function ClubCalendar({ club, label = t('clubCalendar'), ...looks }: ClubCalendarProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" {...looks} onClick={() => setOpen(true)}>
        <CalendarDays aria-hidden />
        {label}
      </Button>
      <ClubCalendarDialog club={club} open={open} onOpenChange={setOpen} />
    </>
  );
}

type ClubCalendarDialogProps = { club: Club; open: boolean; onOpenChange: (open: boolean) => void };

/** The calendar links of the club. */
export function ClubCalendarDialog({ club, open, onOpenChange }: ClubCalendarDialogProps) {
  const steps = useFirstSteps(club);
  const isNew = club.first_steps?.calendar_added === false;
  return (
    open && (
      <Suspense>
        <CalendarDialog
          open
          onOpenChange={onOpenChange}
          onUse={isNew ? () => steps.mutate('calendar_added') : undefined}
          feed={{
            kind: 'club',
            club_id: club.id,
            club_name: club.club_name,
            secret: club.ical_feed_url_id,
          }}
        />
      </Suspense>
    )
  );
}
