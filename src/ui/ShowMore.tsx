import { Button } from './Button.tsx';
import { cn } from './class-names.ts';
import { t } from '#ui/messages.ts';

export type ShowMoreProps = {
  busy?: boolean;
  /** Whether the next page could not be loaded. */
  failed?: boolean;
  onPress: () => void;
  className?: string;
  children: string;
};

/** The button that loads or shows more rows, at the end of a list. */
export function ShowMore({ busy = false, failed = false, onPress, className, children }: ShowMoreProps) {
  return (
    <div className={cn('flex flex-col gap-2', className)}>
      {failed && (
        <p role="alert" className="text-center text-sm text-muted">
          {t('moreNotLoaded')}
        </p>
      )}
      <Button variant="secondary" busy={busy} busyLabel={t('loading')} onClick={onPress}>
        {failed ? t('tryAgain') : children}
      </Button>
    </div>
  );
}
