import { ImagePlus, Trash2 } from 'lucide-react';
import { Suspense, useId, useRef, useState } from 'react';
import { explain } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { CroppedKind } from '#wire/pictures.ts';
import type { OnProgress } from '#wire/client.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { hidden, Rich } from '#ui/Rich.tsx';
import { openPicture, PictureFile, type UnusablePicture } from './PictureFile.tsx';
import { useDrop } from './useDrop.ts';
import { t } from '#features/media/messages.ts';
import type { Elements } from '#ui/elements.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const loadDialog = () => import('./CropDialog.tsx');
const CropDialog = lazyPart(loadDialog);

const labels = {
  person: { title: 'yourPicture', change: 'changeYourPicture', remove: 'removeYourPicture' },
  avatar: { title: 'clubPicture', change: 'changeClubPicture', remove: 'removeClubPicture' },
  banner: { title: 'clubBanner', change: 'changeClubBanner', remove: 'removeClubBanner' },
} as const;

interface PicturePickerProps {
  kind: CroppedKind;
  /** The current picture. */
  preview: Elements;
  isSet: boolean;
  send(file: Blob, onProgress: OnProgress): Promise<unknown>;
  remove(): Promise<unknown>;
}

/** Refetches everything, because any screen can contain the picture. */
const refreshAll = () => queryClient.invalidateQueries();

/** Chooses, crops, replaces and removes a picture. Also accepts dropped files. */
export function PicturePicker({ kind, preview, isSet, send, remove }: PicturePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  const [picture, setPicture] = useState<ImageBitmap>();
  const [error, setError] = useState<string>();
  const { isOver, zone } = useDrop(([file]) => void open(file));
  const heading = useId();
  const removal = useSubmit({
    mutationFn: remove,
    onSuccess: refreshAll,
    onError: (failure) => showToast({ title: t('pictureNotRemoved'), text: explain(failure) }),
  });

  async function open(file: File | undefined) {
    if (!file) return;
    setError(undefined);
    try {
      await loadDialog();
    } catch {
      return setError(t('pictureNotOpened'));
    }
    await openPicture(file).then(setPicture, (unusable: UnusablePicture) => setError(unusable.message));
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
          {t(labels[kind].title)}
        </h2>
        <div className={cn('flex gap-5', kind === 'banner' ? 'flex-col' : 'flex-wrap items-center')}>
          {preview}
          <div className={cn('min-w-0', kind !== 'banner' && 'flex-1 basis-52')}>
            <div className="flex flex-wrap gap-2">
              <Button variant="secondary" onClick={() => input.current?.click()}>
                <ImagePlus aria-hidden />
                <span>
                  {isSet ? <Rich parts={t.parts(labels[kind].change, { hidden })} /> : t('chooseAPicture')}
                </span>
              </Button>
              {isSet && (
                <Button variant="ghost" busy={removal.isPending} onClick={() => removal.mutate()}>
                  <Trash2 aria-hidden />
                  <Rich parts={t.parts(labels[kind].remove, { hidden })} />
                </Button>
              )}
            </div>
            <p className="mt-2 text-sm text-muted">
              {t('pictureTypes')}
              <span className="hidden pointer-fine:inline"> {t('dropHint')}</span>
            </p>
            <p role="alert" className="text-sm text-danger">
              {error}
            </p>
          </div>
        </div>
        <PictureFile ref={input} onChoose={([file]) => void open(file)} />
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
