import { t } from '#app/web/messages.ts';
/** Lets keyboard users skip the header. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only z-60 rounded-md bg-raised font-semibold text-accent shadow-lg focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-4 focus:py-3"
    >
      {t('skipToContent')}
    </a>
  );
}
