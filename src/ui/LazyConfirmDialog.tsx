import { lazy, Suspense } from 'react';
import type { ConfirmDialogProps } from './ConfirmDialog.tsx';

const ConfirmDialog = lazy(() =>
  import('./ConfirmDialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
);

/** A ConfirmDialog for screens that open first in a visit: the code of dialogs is loaded only when it opens. */
export const LazyConfirmDialog = (props: ConfirmDialogProps) =>
  props.open && (
    <Suspense>
      <ConfirmDialog {...props} />
    </Suspense>
  );
