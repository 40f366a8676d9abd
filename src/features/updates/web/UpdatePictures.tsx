import { ImagePlus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { frames, sourcesOf } from '#wire/pictures.ts';
import { encode, openPicture, PictureFile, UnusablePicture } from '#features/media/web/PictureFile.tsx';
import { useDrop } from '#features/media/web/useDrop.ts';
import { maxPictures, type UpdatePicture } from '#features/updates/contract.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { IconButton } from '#ui/IconButton.tsx';
import { t } from '#features/updates/form-messages.ts';

interface UpdatePicturesProps {
  club: string;
  pictures: readonly UpdatePicture[];
  onChange: (next: (pictures: readonly UpdatePicture[]) => UpdatePicture[]) => void;
  onUploading: (isUploading: boolean) => void;
}

/** Uploads pictures as soon as they are chosen, and removes them. Also accepts dropped files. */
export function UpdatePictures({ club, pictures, onChange, onUploading }: UpdatePicturesProps) {
  const input = useRef<HTMLInputElement>(null);
  const label = useId();
  const { uploads, errors, add } = useUploads(club, {
    free: maxPictures - pictures.length,
    onUploaded: (picture) => onChange((others) => [...others, picture]),
  });
  const { isOver, zone } = useDrop((files) => add(files));
  const isUploading = uploads.length > 0;
  useEffect(() => onUploading(isUploading), [isUploading, onUploading]);
  const isFull = pictures.length + uploads.length >= maxPictures;
  return (
    <div
      {...zone}
      role="group"
      aria-labelledby={label}
      tabIndex={-1}
      className={cn(
        '-m-2 flex flex-col gap-2 rounded-lg p-2 outline-none transition-colors',
        isOver && 'bg-accent-soft',
      )}
    >
      <p id={label} className="text-sm font-semibold">
        {t('pictures')}
      </p>
      {pictures.length + uploads.length > 0 && (
        <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4">
          {pictures.map((picture, index) => (
            <li key={picture.name} className="relative">
              <img
                {...sourcesOf(picture)}
                sizes="(min-width: 40rem) 9rem, 45vw"
                alt={t('picture', { number: index + 1 })}
                className="aspect-square w-full rounded-lg bg-sunken object-cover"
              />
              <IconButton
                icon={X}
                label={t('removePicture', { number: index + 1 })}
                className="absolute! top-1 right-1 bg-raised! text-ink! shadow-md"
                onClick={() => onChange((others) => others.filter(({ name }) => name !== picture.name))}
              />
            </li>
          ))}
          {uploads.map(({ id, name, share }) => (
            <li key={id} className="grid aspect-square content-center rounded-lg bg-sunken px-3">
              <span className="mb-2 truncate text-center text-sm text-muted">{name}</span>
              <progress
                aria-label={t('uploadingPicture', { name })}
                value={share}
                className="block h-2 w-full accent-accent"
              />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {!isFull && (
          <Button variant="secondary" onClick={() => input.current?.click()}>
            <ImagePlus aria-hidden />
            {t('addPictures')}
          </Button>
        )}
        <p className="text-sm text-muted">
          {t('pictureLimits', { maxPictures })}
          {!isFull && <span className="hidden pointer-fine:inline"> {t('dropHint')}</span>}
        </p>
      </div>
      <div role="alert" className="text-sm font-medium text-danger empty:hidden">
        {errors.map((error) => (
          <p key={error} className="wrap-anywhere">
            {error}
          </p>
        ))}
      </div>
      <PictureFile ref={input} multiple onChoose={(files) => add(files)} />
    </div>
  );
}

interface Upload {
  id: number;
  /** The name of the file. */
  name: string;
  /** The fraction that has been sent, from 0 to 1. */
  share: number;
}

/** Uploads one file after the other, so that the pictures keep the order in which they were chosen. */
function useUploads(
  club: string,
  { free, onUploaded }: { free: number; onUploaded: (picture: UpdatePicture) => void },
) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [errors, setErrors] = useState<string[]>([]);
  const queue = useRef(Promise.resolve());
  const nextId = useRef(0);

  async function upload(id: number, file: File): Promise<void> {
    try {
      const picture = await api.media.addToUpdate({ club, file: await shrunk(file) }, (share) =>
        setUploads((all) => all.map((each) => (each.id === id ? { ...each, share } : each))),
      );
      onUploaded(picture);
    } catch (failure) {
      const reason = failure instanceof UnusablePicture ? failure.message : sentence(failure);
      setErrors((all) => [...all, t('pictureNotAdded', { name: file.name, reason })]);
    }
    setUploads((all) => all.filter((each) => each.id !== id));
  }

  function add(files: readonly File[]): void {
    const room = free - uploads.length;
    setErrors(files.length > room ? [t('tooManyPictures', { maxPictures })] : []);
    for (const file of files.slice(0, room)) {
      const id = nextId.current++;
      setUploads((all) => [...all, { id, name: file.name, share: 0 }]);
      queue.current = queue.current.then(() => upload(id, file));
    }
  }
  return { uploads, errors, add };
}

/** Scales a picture down to the size that the server stores, because photos of phones would take long to send. */
async function shrunk(file: File): Promise<Blob> {
  const picture = await openPicture(file);
  const scale = Math.min(1, frames.update.shown / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (context) context.imageSmoothingQuality = 'high';
  context?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return encode(canvas);
}
