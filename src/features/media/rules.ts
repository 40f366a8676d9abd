/** Every frame a picture can hang in, with the widths it is kept in; `shown` is the one that its address names. */
export const frames = {
  person: { ratio: 1, widths: [96, 256, 512], shown: 256 },
  avatar: { ratio: 1, widths: [96, 256, 512], shown: 256 },
  banner: { ratio: 3, widths: [800, 1600], shown: 1600 },
} as const;
export type Kind = keyof typeof frames;

const everyWidth = [...new Set(Object.values(frames).flatMap(({ widths }): number[] => [...widths]))];

export const fileName = (name: string, width: number): string => `${name}-${width}.webp`;

/** All the files that a picture can have, whatever its kind was. */
export const filesOf = (name: string): string[] => everyWidth.map((width) => fileName(name, width));

/** The picture whose file this is; nothing when no picture's file is called so. */
export function pictureOf(file: string): string | undefined {
  const [, name, width] = /^([\w-]{22})-(\d{2,4})\.webp$/.exec(file) ?? [];
  return everyWidth.includes(Number(width)) ? name : undefined;
}

export const urlOf = (name: string, kind: Kind): string =>
  `/api/v1/media/${fileName(name, frames[kind].shown)}`;

/** The sizes of a picture for a browser to choose from, told by the address of one of them. */
export function sourceSet(url: string | null, kind: Kind): string | undefined {
  const [, path] = /^(\/api\/v1\/media\/.+)-\d+\.webp$/.exec(url ?? '') ?? [];
  return path && frames[kind].widths.map((width) => `${fileName(path, width)} ${width}w`).join(', ');
}
