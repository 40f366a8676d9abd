import { Link } from 'react-router';
import { type Arrival, detailsOf, kindOf } from '#web/first/after-login.ts';
import { Button } from '#ui/Button.tsx';
import { t } from '#app/web/pages/landing/messages.ts';

const titles = () => ({
  event: t('eventYouWereSent'),
  club: t('clubYouWereSent'),
  page: t('pageYouWereSent'),
});

interface ArrivalNoticeProps {
  arrival: Arrival | undefined;
  /** The email of a login link that no longer works. */
  expiredFor?: string | undefined;
  onDismiss: () => void;
}

/**
 * Tells visitors why they are here: the page that they opened needs a session, or their login link has expired. The
 * server renders it hidden and empty; on that static page, `landing.ts` fills it. That script has no texts, so the page
 * contains all titles.
 */
export function ArrivalNotice({ arrival, expiredFor, onDismiss }: ArrivalNoticeProps) {
  const title = expiredFor ? t('linkExpired') : arrival && titles()[kindOf(arrival)];
  return (
    <section data-arrival hidden={!title} className="mx-auto max-w-6xl px-4 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-x-10 gap-y-6 rounded-2xl bg-accent-soft px-5 py-7 sm:px-10 sm:py-10">
        <div role="status" className="min-w-0 flex-1 basis-72">
          <p
            data-title
            data-event={titles().event}
            data-club={titles().club}
            data-page={titles().page}
            className="text-2xl font-bold text-balance"
          >
            {title}
          </p>
          <p data-details className="mt-2 text-lg wrap-anywhere empty:hidden">
            {arrival && detailsOf(arrival)}
          </p>
        </div>
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <Button asChild size="lg" className="max-w-full max-sm:grow">
            <Link to="/login" state={expiredFor && { email: expiredFor }}>
              {expiredFor ? t('requestNewCode') : t('logIn')}
            </Link>
          </Button>
          <Button variant="ghost" size="lg" onClick={onDismiss}>
            {t('dismiss')}
          </Button>
        </div>
      </div>
    </section>
  );
}
