import { hueCount, hueOf } from './hue.ts';

/** Colours of one theme, as hexadecimal numbers. */
export interface ThemeColours {
  /** Text on a page, card or date tile, and the ground of strips and active chips. */
  main: string;
  /** Text on a strip or an active chip. */
  ink: string;
  /** The ground of date tiles. */
  soft: string;
}

export interface ClubColours {
  light: ThemeColours;
  dark: ThemeColours;
  /** The ground and the initials of a generated avatar, in both themes. */
  avatar: { ground: string; initials: string };
  /** The colours of a generated cover, from the sky to the nearest hills. They carry no text. */
  cover: readonly [sky: string, horizon: string, far: string, middle: string, near: string];
}

/** The colours of a club or person, from its id. */
export const clubColours = (seed: string): ClubColours => coloursOfHue(hueOf(seed));

/**
 * The luminance of each colour is the same for all hues. Contrast depends on nothing but luminance, so every hue has the
 * same contrasts: at least 4.5 for text and 3 for shapes, on all grounds of `theme.css`.
 */
export function coloursOfHue(hue: number): ClubColours {
  const colour = (chroma: number, luminance: number, turn = 0) =>
    colourWith((360 / hueCount) * hue + 10 + turn, chroma, luminance);
  return {
    light: { main: colour(0.13, 0.12), ink: '#ffffff', soft: colour(0.05, 0.8) },
    dark: { main: colour(0.11, 0.42), ink: colour(0.03, 0.012), soft: colour(0.05, 0.035) },
    avatar: { ground: colour(0.11, 0.62), initials: colour(0.1, 0.035) },
    cover: [
      colour(0.05, 0.8, 20),
      colour(0.1, 0.52, 10),
      colour(0.11, 0.32),
      colour(0.1, 0.15, -5),
      colour(0.08, 0.05, -15),
    ],
  };
}

/** The colour with this OKLCH hue in degrees, this WCAG luminance and at most this OKLCH chroma, in sRGB. */
function colourWith(hue: number, maxChroma: number, luminance: number): string {
  for (let chroma = maxChroma; chroma > 0; chroma -= 0.002) {
    let [low, high] = [0, 1];
    for (let step = 0; step < 20; step++) {
      const lightness = (low + high) / 2;
      if (luminanceOf(linearRgb(lightness, chroma, hue)) < luminance) low = lightness;
      else high = lightness;
    }
    const rgb = linearRgb(low, chroma, hue);
    if (rgb.every((part) => part >= 0 && part <= 1)) return `#${rgb.map(hexadecimal).join('')}`;
  }
  throw new Error(`No colour has luminance ${luminance}.`);
}

type Rgb = readonly [red: number, green: number, blue: number];

const luminanceOf = ([red, green, blue]: Rgb) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

/** Converts OKLCH to linear sRGB: https://bottosson.github.io/posts/oklab/ */
function linearRgb(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function hexadecimal(linear: number): string {
  const part = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * part)
    .toString(16)
    .padStart(2, '0');
}
