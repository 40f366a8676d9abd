import { Banner, type BannerProps } from './Banner.tsx';
import { Button } from './Button.tsx';
import { t } from '#ui/messages.ts';

export type NotLoadedProps = Omit<BannerProps, 'tone' | 'action'> & {
  busy?: boolean;
  retry: () => void;
};

/** Stands where something could not be loaded, and loads it again. */
export function NotLoaded({ busy = false, retry, ...banner }: NotLoadedProps) {
  return (
    <Banner
      role="alert"
      {...banner}
      tone="error"
      action={
        <Button variant="secondary" size="sm" busy={busy} onClick={retry}>
          {t('tryAgain')}
        </Button>
      }
    />
  );
}
