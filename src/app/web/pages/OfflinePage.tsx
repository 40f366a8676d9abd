import { WifiOff } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Main } from '#web/Main.tsx';
import { useTitle } from '#web/useTitle.ts';
import { t } from '#app/web/pages/error-messages.ts';

const reload = () => window.location.reload();

/** Shown when a page cannot load its data offline. Reloads when the network is back. */
export function OfflinePage() {
  useTitle(t('offline'));
  useEffect(() => {
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, []);
  return (
    <Main className="grid min-h-dvh place-items-center px-4 py-10">
      <Card className="w-full max-w-md text-center">
        <div className="mx-auto grid size-14 place-items-center rounded-full bg-warn-soft text-warn">
          <WifiOff aria-hidden className="size-7" />
        </div>
        <h1 className="mt-4 text-2xl font-bold">{t('youAreOffline')}</h1>
        <p className="mt-2 text-muted">{t('offlineText')}</p>
        <Button className="mt-8" onClick={reload}>
          {t('retry')}
        </Button>
      </Card>
    </Main>
  );
}
