import { Link } from 'react-router';
import { type Arrival, kindOf } from '#web/first/after-login.ts';
import { Button } from '#ui/Button.tsx';
import { t } from '#app/web/pages/landing/messages.ts';

const titles = () => ({
  event: t('eventYouWereSent'),
  club: t('clubYouWereSent'),
  page: t('pageYouWereSent'),
});

/**
 * Tells visitors why they are here: the page that they opened needs a session. The server renders it hidden and empty;
 * on that static page, `landing.ts` fills it. That script has no texts, so the page contains all titles.
 */
export function ArrivalNotice({
  arrival,
  onDismiss,
}: {
  arrival: Arrival | undefined;
  onDismiss: () => void;
}) {
  return (
    <div data-arrival hidden={!arrival} className="mx-auto max-w-6xl px-4 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-xl bg-accent-soft px-4 py-3 sm:px-5">
        <div role="status" className="min-w-0 flex-1 basis-64">
          <p
            data-title
            data-event={titles().event}
            data-club={titles().club}
            data-page={titles().page}
            className="font-semibold text-balance"
          >
            {arrival && titles()[kindOf(arrival)]}
          </p>
          <p data-details className="text-sm wrap-anywhere">
            {arrival?.day && `${arrival.title} · ${arrival.day}`}
          </p>
        </div>
        <div className="flex gap-1 max-sm:w-full">
          <Button asChild className="max-sm:grow">
            <Link to="/login">{t('logIn')}</Link>
          </Button>
          <Button variant="ghost" onClick={onDismiss}>
            {t('dismiss')}
          </Button>
        </div>
      </div>
    </div>
  );
}
