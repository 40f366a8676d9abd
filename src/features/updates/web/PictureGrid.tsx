import { t } from '#features/updates/messages.ts';
import { Suspense, useState } from 'react';
import { sourcesOf } from '#wire/pictures.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { cn } from '#ui/class-names.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const PictureDialog = lazyPart(() => import('./PictureDialog.tsx'));

interface PictureGridProps {
  pictures: readonly UpdatePicture[];
  author: string;
  /** Shows only the first picture, in small size. */
  summary?: boolean;
}

const layouts = {
  summary: { list: 'w-16 shrink-0 sm:w-24', image: 'aspect-square object-cover', sizes: '6rem' },
  single: {
    list: 'mt-3 max-w-prose',
    image: 'max-h-96 w-auto',
    sizes: '(min-width: 48rem) 40rem, 90vw',
  },
  several: {
    list: 'mt-3 grid max-w-prose grid-cols-2 gap-2',
    image: 'aspect-4/3 w-full object-cover',
    sizes: '(min-width: 48rem) 20rem, 45vw',
  },
};

/** The last of three pictures fills its row. */
const isWide = (shown: readonly unknown[], index: number) => shown.length === 3 && index === 2;

/** The pictures of an update. A press on a picture opens it in large size. */
export function PictureGrid({ pictures, author, summary = false }: PictureGridProps) {
  const [open, setOpen] = useState<number>();
  const count = pictures.length;
  const shown = summary ? pictures.slice(0, 1) : pictures;
  const layout = summary ? layouts.summary : count === 1 ? layouts.single : layouts.several;
  return (
    <>
      <ul className={layout.list}>
        {shown.map((picture, index) => (
          <li key={picture.name} className={cn(isWide(shown, index) && 'col-span-2')}>
            <button
              type="button"
              aria-haspopup="dialog"
              aria-label={t('openPicture', { number: index + 1, count })}
              onClick={() => setOpen(index)}
              className="relative block max-w-full overflow-hidden rounded-lg bg-sunken"
            >
              <img
                {...sourcesOf(picture)}
                sizes={layout.sizes}
                width={picture.width}
                height={picture.height}
                loading="lazy"
                alt=""
                className={cn(layout.image, isWide(shown, index) && 'aspect-8/3!')}
              />
              {summary && count > 1 && (
                <span
                  aria-hidden
                  className="absolute right-1 bottom-1 rounded-full bg-raised px-1.5 text-xs font-bold"
                >
                  +{count - 1}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <Suspense>
          <PictureDialog
            pictures={pictures}
            first={open}
            author={author}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
