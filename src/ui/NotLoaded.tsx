import { Banner, type BannerProps } from './Banner.tsx';
import { Button } from './Button.tsx';
import { t } from '#ui/messages.ts';

export type NotLoadedProps = Omit<BannerProps, 'tone' | 'action'> & {
  busy?: boolean;
  retry: () => void;
};

/** Shown in place of content that could not be loaded, with a retry button. */
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
