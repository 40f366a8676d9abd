import { useQuery } from '@tanstack/react-query';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import { api, logOut } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useNow } from '#web/useNow.ts';
import { showToast } from '#web/copy.ts';
import type { LoginSession } from '#features/auth/contract.ts';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { dayMonthYear, relativeTime } from '#wire/format.ts';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#features/account/messages.ts';

/** The list of the user's sessions. */
export function Sessions() {
  const { data, isError, refetch } = useQuery(queries.sessions());
  const [asking, setAsking] = useState(false);
  return (
    <section tabIndex={-1} aria-labelledby="sessions" className="outline-none">
      <h3 id="sessions" className="text-lg font-bold">
        {t('sessions')}
      </h3>
      {!data && !isError && <SkeletonText lines={2} className="mt-4" />}
      {isError && (
        <NotLoaded className="mt-2" retry={() => void refetch()}>
          {t('sessionsNotLoaded')}
        </NotLoaded>
      )}
      {data && (
        <ul className="mt-2 divide-y divide-line">
          {data.map((session) => (
            <Session key={session.id} session={session} />
          ))}
        </ul>
      )}
      <Button variant="secondary" className="mt-3" onClick={() => setAsking(true)}>
        {t('logOutEverywhere')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('logOutEverywhereQuestion')}
        text={t('logOutEverywhereText')}
        confirmLabel={t('logOutEverywhere')}
        danger
        onConfirm={() => void logOut({ all: true })}
      />
    </section>
  );
}

function deviceInWords({ browser, system }: LoginSession): string {
  if (browser && system) return t('browserOnSystem', { browser, system });
  return browser ?? system ?? t('unknownDevice');
}

/** Each of these texts is a sentence of its own, because an unknown device has no name to insert. */
function endLabel({ browser, system }: LoginSession): string {
  if (browser && system) return t('endSessionOnSystem', { browser, system });
  const device = browser ?? system;
  return device ? t('endSessionOn', { device }) : t('endSessionOnUnknown');
}

function Session({ session }: { session: LoginSession }) {
  const { id, created_at, used_at, is_current, has_push } = session;
  const now = useNow();
  const end = useSubmit({
    mutationFn: () => api.auth.endSession({ session: id }),
    onError: (failure) => showToast({ title: t('sessionNotEnded'), text: explain(failure) }),
    // Refetch even after an error: another device may have ended the session.
    onSettled: () => queryClient.invalidateQueries(queries.sessions()),
  });
  return (
    <li className="flex items-center gap-3 py-3">
      <MonitorSmartphone aria-hidden className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {deviceInWords(session)}
          {is_current && <Badge tone="ok">{t('thisDevice')}</Badge>}
          {has_push && <Badge>{t('notificationsOn')}</Badge>}
        </p>
        <p className="text-sm text-muted">
          {t('sessionTimes', {
            used: relativeTime(used_at, now),
            since: dayMonthYear(created_at),
          })}
        </p>
      </div>
      {!is_current && (
        <Button
          variant="secondary"
          size="sm"
          aria-label={endLabel(session)}
          busy={end.isPending}
          onClick={() => end.mutate()}
        >
          {t('end')}
        </Button>
      )}
    </li>
  );
}
