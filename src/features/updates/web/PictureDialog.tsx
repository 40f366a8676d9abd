import { useEffect, useState } from 'react';
import { sourcesOf } from '#wire/pictures.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { t } from '#features/updates/messages.ts';

interface PictureDialogProps {
  pictures: readonly UpdatePicture[];
  /** The index of the picture that is shown first. */
  first: number;
  /** For example 'Posted by Ada'. */
  author: string;
  onClose: () => void;
}

/** Shows the pictures of an update in large size, one at a time. The arrow keys go to the next or previous picture. */
export default function PictureDialog({ pictures, first, author, onClose }: PictureDialogProps) {
  const [index, setIndex] = useState(first);
  const count = pictures.length;
  const turn = (by: number) => setIndex((current) => (current + by + count) % count);
  useEffect(() => {
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'ArrowLeft') turn(-1);
      if (key === 'ArrowRight') turn(1);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
  const picture = pictures[index];
  const title = count > 1 ? t('pictureOf', { number: index + 1, count }) : t('onlyPicture');
  if (!picture) return null;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={<span aria-live="polite">{title}</span>}
      description={author}
      footer={
        count > 1 && (
          <div className="grid w-full grid-cols-2 gap-3 sm:w-auto">
            <Button variant="secondary" onClick={() => turn(-1)}>
              {t('previous')}
            </Button>
            <Button variant="secondary" onClick={() => turn(1)}>
              {t('next')}
            </Button>
          </div>
        )
      }
    >
      <img
        key={picture.name}
        {...sourcesOf(picture)}
        sizes="(min-width: 48rem) 45rem, 90vw"
        width={picture.width}
        height={picture.height}
        alt={t('pictureAlt', { picture: title, author })}
        className="mx-auto max-h-[60dvh] w-auto max-w-full rounded-lg bg-sunken object-contain"
      />
    </Dialog>
  );
}
