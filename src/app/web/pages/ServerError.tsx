import { CloudOff } from 'lucide-react';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Main } from '#web/Main.tsx';
import { useTitle } from '#web/useTitle.ts';
import { t } from '#app/web/pages/error-messages.ts';

const tips = () => [t('refreshThePage'), t('clearTheCache'), t('tryAgainLater')];

/** Shown when the user cannot be loaded. Its buttons do a full page load, because the loaded code may be broken. */
export function ServerError() {
  useTitle(t('serverError'));
  return (
    <Main className="grid min-h-dvh place-items-center px-4 py-10">
      <Card className="w-full max-w-md text-center">
        <div className="mx-auto grid size-14 place-items-center rounded-full bg-danger-soft text-danger">
          <CloudOff aria-hidden className="size-7" />
        </div>
        <h1 className="mt-4 text-2xl font-bold">{t('serverError')}</h1>
        <p className="mt-2 text-muted">{t('serverErrorText')}</p>
        <ul className="mx-auto mt-6 w-fit list-disc space-y-1 pl-5 text-left">
          {tips().map((tip) => (
            <li key={tip}>{tip}</li>
          ))}
        </ul>
        <div className="mt-8 flex flex-col gap-3 sm:flex-row-reverse sm:justify-center">
          <Button onClick={() => window.location.reload()}>{t('tryAgain')}</Button>
          <Button asChild variant="secondary">
            <a href="/">{t('goHome')}</a>
          </Button>
        </div>
      </Card>
    </Main>
  );
}
