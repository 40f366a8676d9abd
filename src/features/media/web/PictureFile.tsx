import { type RefObject } from 'react';
import { maxPixels } from '#wire/pictures.ts';
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
  return createImageBitmap(file)
    .then(scaled)
    .catch(() => {
      throw new UnusablePicture(t('pictureUnreadable'));
    });
}

/** Scales a picture down to `maxPixels`, because phones take photos that are too large to keep open. */
async function scaled(picture: ImageBitmap): Promise<ImageBitmap> {
  const scale = Math.sqrt(maxPixels / (picture.width * picture.height));
  if (scale >= 1) return picture;
  const smaller = await createImageBitmap(picture, {
    resizeWidth: Math.floor(picture.width * scale),
    resizeHeight: Math.floor(picture.height * scale),
    resizeQuality: 'high',
  });
  picture.close();
  return smaller;
}

/** A browser that cannot encode WebP returns a PNG, which may exceed the limit of an upload. */
export async function encode(canvas: HTMLCanvasElement | null): Promise<Blob> {
  if (!canvas) throw new Error('The picture is not shown');
  const file = await fileOf(canvas, 'image/webp');
  return file.type === 'image/webp' ? file : fileOf(onWhite(canvas), 'image/jpeg');
}

const fileOf = (canvas: HTMLCanvasElement, type: string): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas.toBlob(
      (file) => (file ? resolve(file) : reject(new Error('The picture could not be drawn'))),
      type,
      0.9,
    );
  });

/** JPEG has no transparency, and transparent parts would become black. */
function onWhite(picture: HTMLCanvasElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0);
  }
  return canvas;
}
