import { Minus, Plus } from 'lucide-react';
import { type ComponentProps, type RefObject, useEffect, useRef, useState } from 'react';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { frames, type CroppedKind } from '#wire/pictures.ts';
import type { OnProgress } from '#wire/client.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { Dialog } from '#ui/Dialog.tsx';
import { encode } from './PictureFile.tsx';
import { maxZoom, shownPart, useCrop, type View } from './useCrop.ts';
import { t } from '#features/media/messages.ts';

interface CropDialogProps {
  kind: CroppedKind;
  picture: ImageBitmap;
  onSave(file: Blob, onProgress: OnProgress): Promise<unknown>;
  onClose(): void;
}

const shapes = {
  person: 'mx-auto max-w-72 rounded-full',
  avatar: 'mx-auto max-w-72 rounded-[22%]',
  banner: 'rounded-lg',
};

/** Crops a picture by pointer, touch or keyboard. The canvas content is uploaded as it is shown. */
export default function CropDialog({ kind, picture, onSave, onClose }: CropDialogProps) {
  const { ratio } = frames[kind];
  const canvas = useRef<HTMLCanvasElement>(null);
  const { view, zoomTo, handlers } = useCrop(picture, ratio);
  const [progress, setProgress] = useState(0);
  const save = useSubmit({
    mutationFn: async () => onSave(await encode(canvas.current), setProgress),
    onSuccess() {
      showToast({ title: t('pictureSaved'), text: t('pictureSavedText') });
      onClose();
    },
  });
  return (
    <Dialog
      open
      dismissible={false}
      onOpenChange={(open) => open || onClose()}
      title={t('chooseWhatToShow')}
      description={
        <>
          <span className="pointer-fine:hidden">{t('dragOrPinch')}</span>
          <span className="hidden pointer-fine:inline">{t('dragOrArrowKeys')}</span>
        </>
      }
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button busy={save.isPending} busyLabel={t('saving')} onClick={() => save.mutate()}>
            {t('savePicture')}
          </Button>
        </>
      }
    >
      <div className="relative">
        <CropCanvas kind={kind} picture={picture} view={view} ref={canvas} {...handlers} />
        {kind === 'banner' && <WideScreens />}
      </div>
      {kind === 'banner' && <p className="mt-2 text-sm text-muted">{t('wideScreensText')}</p>}
      <label className="mt-5 flex items-center gap-3 text-muted">
        <Minus aria-hidden className="size-4 shrink-0" />
        <input
          type="range"
          aria-label={t('zoom')}
          min={1}
          max={maxZoom}
          step={0.05}
          value={view.zoom}
          onChange={(event) => zoomTo(event.target.valueAsNumber)}
          className="h-11 w-full accent-accent"
        />
        <Plus aria-hidden className="size-4 shrink-0" />
      </label>
      {save.isPending && (
        <progress
          aria-label={t('uploadProgress')}
          value={progress}
          className="mt-2 block h-2 w-full accent-accent"
        />
      )}
      {save.error && (
        <Banner tone="error" role="alert" className="mt-4" title={t('pictureNotSaved')}>
          {t('pictureNotSavedText', { sentence: sentence(save.error) })}
        </Banner>
      )}
    </Dialog>
  );
}

/** Dims what the banner of a club page does not show on wide screens, where `ClubHeader` limits its height. */
const WideScreens = () => (
  <span
    aria-hidden
    className="pointer-events-none absolute inset-0 flex flex-col justify-between *:h-1/5 *:bg-black/45 *:border-white"
  >
    <span className="rounded-t-lg border-b" />
    <span className="rounded-b-lg border-t" />
  </span>
);

type CropCanvasProps = ComponentProps<'canvas'> & {
  kind: CroppedKind;
  picture: ImageBitmap;
  view: View;
  ref: RefObject<HTMLCanvasElement | null>;
};

/** A separate component, because its effect must run after the dialog has mounted the canvas. */
function CropCanvas({ kind, picture, view, ref, ...rest }: CropCanvasProps) {
  const { ratio, widths } = frames[kind];
  const width = Math.max(...widths);
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return;
    const part = shownPart(view, picture, ratio);
    context.imageSmoothingQuality = 'high';
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(
      picture,
      part.left,
      part.top,
      part.width,
      part.height,
      0,
      0,
      canvas.width,
      canvas.height,
    );
  }, [ref, picture, view, ratio]);
  return (
    <canvas
      ref={ref}
      {...rest}
      width={width}
      height={Math.round(width / ratio)}
      tabIndex={0}
      role="application"
      aria-label={t('pictureKeys')}
      className={cn('block w-full cursor-grab touch-none bg-sunken active:cursor-grabbing', shapes[kind])}
    />
  );
}
