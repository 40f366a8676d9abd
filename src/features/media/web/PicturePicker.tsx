import { ImagePlus, Trash2 } from 'lucide-react';
import { type DragEvent, lazy, type ReactNode, Suspense, useId, useRef, useState } from 'react';
import { explain } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import type { Kind } from '#features/media/rules.ts';
import type { OnProgress } from '#wire/client.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';

const loadDialog = () => import('./CropDialog.tsx');
const CropDialog = lazy(loadDialog);

interface PicturePickerProps {
  kind: Kind;
  /** For example 'Your picture'. */
  label: string;
  /** The current picture. */
  preview: ReactNode;
  isSet: boolean;
  send(file: Blob, onProgress: OnProgress): Promise<unknown>;
  remove(): Promise<unknown>;
}

const types = 'image/png,image/jpeg,image/webp';
const maxBytes = 50 * 1024 * 1024;

/** Refetches everything, because any screen can contain the picture. */
const refreshAll = () => queryClient.invalidateQueries();

/** Chooses, crops, replaces and removes a picture. Also accepts dropped files. */
export function PicturePicker({ kind, label, preview, isSet, send, remove }: PicturePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  const [picture, setPicture] = useState<ImageBitmap>();
  const [error, setError] = useState<string>();
  const { isOver, zone } = useDrop((file) => void open(file));
  const heading = useId();
  const removal = useSubmit({
    mutationFn: remove,
    onSuccess: refreshAll,
    onError: (failure) => notify({ title: 'Error', text: explain(failure) }),
  });

  async function open(file: File | undefined) {
    if (!file) return;
    setError(undefined);
    if (file.size > maxBytes) return setError('This picture is too large. Choose one of less than 50 MB.');
    try {
      await loadDialog();
    } catch {
      return setError('The picture could not be opened. Are you connected?');
    }
    try {
      setPicture(await createImageBitmap(file));
    } catch {
      setError("We couldn't read this image. Try a PNG, JPEG or WebP.");
    }
  }

  const close = () => {
    picture?.close();
    setPicture(undefined);
  };

  return (
    <Card
      asChild
      className={cn('outline-none transition-colors', isOver && 'border-accent! bg-accent-soft!')}
    >
      <section {...zone} tabIndex={-1} aria-labelledby={heading}>
        <h2 id={heading} className="mb-4 font-semibold">
          {label}
        </h2>
        <div className={cn('flex gap-5', kind === 'banner' ? 'flex-col' : 'flex-wrap items-center')}>
          {preview}
          <div className={cn('min-w-0', kind !== 'banner' && 'flex-1 basis-52')}>
            <div className="flex flex-wrap gap-2">
              <Button variant="secondary" onClick={() => input.current?.click()}>
                <ImagePlus aria-hidden />
                {isSet ? 'Change' : 'Choose a picture'}
                {isSet && <span className="sr-only"> {label.toLowerCase()}</span>}
              </Button>
              {isSet && (
                <Button variant="ghost" busy={removal.isPending} onClick={() => removal.mutate()}>
                  <Trash2 aria-hidden />
                  Remove
                  <span className="sr-only"> {label.toLowerCase()}</span>
                </Button>
              )}
            </div>
            <p className="mt-2 text-sm text-muted">
              PNG, JPEG or WebP.
              <span className="hidden pointer-fine:inline"> You can also drop one here.</span>
            </p>
            <p role="alert" className="text-sm text-danger">
              {error}
            </p>
          </div>
        </div>
        <input
          ref={input}
          type="file"
          accept={types}
          hidden
          onChange={({ target }) => {
            void open(target.files?.[0]);
            // Reset, so that choosing the same file again fires a change event.
            target.value = '';
          }}
        />
        {picture && (
          <Suspense>
            <CropDialog
              kind={kind}
              picture={picture}
              onClose={close}
              onSave={async (file, onProgress) => {
                await send(file, onProgress);
                await refreshAll();
              }}
            />
          </Suspense>
        )}
      </section>
    </Card>
  );
}

function useDrop(onFile: (file: File | undefined) => void) {
  const [isOver, setIsOver] = useState(false);
  const zone = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      setIsOver(false);
      onFile(event.dataTransfer.files[0]);
    },
  };
  return { isOver, zone };
}
