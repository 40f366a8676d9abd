import { type RefObject } from 'react';
import { t } from '#features/media/messages.ts';

const types = 'image/png,image/jpeg,image/webp';
const maxBytes = 50 * 1024 * 1024;

/** An invisible input that opens the file chooser of the browser when it is clicked. */
export function PictureFile({
  ref,
  multiple = false,
  onChoose,
}: {
  ref: RefObject<HTMLInputElement | null>;
  multiple?: boolean;
  onChoose: (files: File[]) => void;
}) {
  return (
    <input
      ref={ref}
      type="file"
      accept={types}
      multiple={multiple}
      hidden
      onChange={({ target }) => {
        onChoose([...(target.files ?? [])]);
        // Reset, so that choosing the same file again fires a change event.
        target.value = '';
      }}
    />
  );
}

/** The message tells the user why a file cannot be used. */
export class UnusablePicture extends Error {}

export async function openPicture(file: File): Promise<ImageBitmap> {
  if (file.size > maxBytes) throw new UnusablePicture(t('pictureTooLarge'));
  return createImageBitmap(file).catch(() => {
    throw new UnusablePicture(t('pictureUnreadable'));
  });
}

/** Browsers that cannot encode WebP fall back to PNG, which is small enough too. */
export const encode = (canvas: HTMLCanvasElement | null): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas?.toBlob(
      (file) => (file ? resolve(file) : reject(new Error('The picture could not be drawn'))),
      'image/webp',
      0.9,
    );
  });
