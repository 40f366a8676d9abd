import { Search } from 'lucide-react';
import { Suspense, useLayoutEffect, useState } from 'react';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/search/home-messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const SearchDialog = lazyPart(() => import('./SearchDialog.tsx'));

const isHotkey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  /^[jk]$/i.test(key) && ctrlKey !== metaKey && !altKey && !shiftKey;

/** Opens the search for the user's clubs and events. Ctrl or Cmd with J or K toggles it. */
export function SearchButton() {
  const [open, setOpen] = useState(false);
  // A layout effect, so that the hotkey works as soon as the button is visible.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isHotkey(event)) return;
      event.preventDefault();
      if (!event.repeat) setOpen((before) => !before);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        aria-keyshortcuts="Control+J Meta+J Control+K Meta+K"
        className="offline:hidden max-sm:size-11 max-sm:border-transparent max-sm:bg-transparent max-sm:p-0 max-sm:text-muted max-sm:shadow-none max-sm:[&_svg]:size-5"
        onClick={() => setOpen(true)}
      >
        <Search aria-hidden />
        <span className="max-sm:sr-only">{t('search')}</span>
      </Button>
      {open && (
        <Suspense>
          <SearchDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
