import { Suspense } from 'react';
import type { ConfirmDialogProps } from './ConfirmDialog.tsx';
import { lazyPart } from './LazyPart.tsx';

const ConfirmDialog = lazyPart(() =>
  import('./ConfirmDialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
);

/** A ConfirmDialog for screens on which a visit can begin: the code of dialogs is loaded only when the dialog opens. */
export const LazyConfirmDialog = (props: ConfirmDialogProps) =>
  props.open && (
    <Suspense>
      <ConfirmDialog {...props} />
    </Suspense>
  );
