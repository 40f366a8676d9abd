import { NotLoaded } from '#ui/NotLoaded.tsx';
import { useTitle } from '#web/useTitle.ts';
import { t } from '#app/web/pages/error-messages.ts';

/** In place of a page whose file cannot be loaded. Reloads, because a newer version may have replaced the file. */
export default function PageNotLoaded() {
  useTitle(t('pageNotLoaded'));
  return (
    <div className="p-4">
      <NotLoaded title={<h1>{t('pageNotLoaded')}</h1>} retry={() => window.location.reload()}>
        {t('pageNotLoadedText')}
      </NotLoaded>
    </div>
  );
}
