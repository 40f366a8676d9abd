import { lazy, Suspense } from 'react';
import type { ConfirmDialogProps } from './ConfirmDialog.tsx';

const ConfirmDialog = lazy(() =>
  import('./ConfirmDialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
);

/** A ConfirmDialog for the first screen of a visit: the code of dialogs loads when it opens. */
export const LazyConfirmDialog = (props: ConfirmDialogProps) =>
  props.open && (
    <Suspense>
      <ConfirmDialog {...props} />
    </Suspense>
  );
