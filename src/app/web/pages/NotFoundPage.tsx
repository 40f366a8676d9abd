import { Compass } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { useTitle } from '#web/useTitle.ts';
import { t } from '#app/web/pages/messages.ts';

export default function NotFoundPage() {
  useTitle(t('notFound'));
  return (
    <div className="flex flex-col items-center px-6 py-16 text-center sm:py-24">
      <span className="grid size-16 place-items-center rounded-full bg-accent-soft text-accent">
        <Compass aria-hidden className="size-8" strokeWidth={1.75} />
      </span>
      <h1 className="mt-5 text-3xl font-bold">{t('notFound')}</h1>
      <p className="mt-2 max-w-96 text-balance text-muted">{t('notFoundText')}</p>
      <Button asChild className="mt-6">
        <Link to="/app">{t('goToTheApp')}</Link>
      </Button>
    </div>
  );
}
