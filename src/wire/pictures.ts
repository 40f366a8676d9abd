/** The maximum number of pixels of a picture that the server reads. Browsers scale larger ones down. */
export const maxPixels = 20_000_000;

/** A picture of an update, with its size in pixels. */
interface SizedPicture {
  name: string;
  width: number;
  height: number;
}

/** Per kind of picture: the aspect ratio, the widths it is stored in, and the width named in its URL (`shown`). */
export const frames = {
  person: { ratio: 1, widths: [96, 256, 512], shown: 256 },
  avatar: { ratio: 1, widths: [96, 256, 512], shown: 256 },
  banner: { ratio: 3, widths: [800, 1600], shown: 1600 },
  /** Keeps its own ratio: it fits into a square of each width. */
  update: { ratio: undefined, widths: [800, 1600], shown: 1600 },
} as const;
export type Kind = keyof typeof frames;
export type CroppedKind = Exclude<Kind, 'update'>;

const everyWidth = [...new Set(Object.values(frames).flatMap(({ widths }): number[] => [...widths]))];

export const fileName = (name: string, width: number): string => `${name}-${width}.webp`;

/** All files that a picture of any kind can have. */
export const filesOf = (name: string): string[] => everyWidth.map((width) => fileName(name, width));

/** The name of the picture that a file belongs to, or undefined if this is not a file name of a picture. */
export function pictureOf(file: string): string | undefined {
  const [, name, width] = /^([\w-]{22})-(\d{2,4})\.webp$/.exec(file) ?? [];
  return everyWidth.includes(Number(width)) ? name : undefined;
}

export const pictureUrl = (name: string, kind: Kind): string =>
  `/api/v1/media/${fileName(name, frames[kind].shown)}`;

/** `src` and `srcset` of a picture of an update. */
export function sourcesOf({ name, width, height }: SizedPicture): { src: string; srcSet: string } {
  const src = pictureUrl(name, 'update');
  const [small] = frames.update.widths;
  const scale = Math.min(1, small / Math.max(width, height));
  const smaller = src.replace(/\d+(?=\.webp$)/, String(small));
  return { src, srcSet: `${smaller} ${Math.round(width * scale)}w, ${src} ${width}w` };
}

/** The `srcset` of a picture, derived from the URL of one of its sizes. */
export function sourceSet(url: string | null, kind: CroppedKind): string | undefined {
  const [, path] = /^(\/api\/v1\/media\/.+)-\d+\.webp$/.exec(url ?? '') ?? [];
  return path && frames[kind].widths.map((width) => `${fileName(path, width)} ${width}w`).join(', ');
}
