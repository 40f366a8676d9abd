import { linkify } from '#wire/linkify.ts';
import { groupsOf } from '#platform/mail/plain-text.ts';
import type { Brand, Card, EmailContent, Fact, Paragraph, Part, Picture } from '#platform/mail/message.ts';

interface Link {
  label: string;
  url: string;
}

interface Button extends Link {
  isMain?: boolean | undefined;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);

/** The colours of emails that are not on behalf of a group. */
const ownColours: Pick<Brand, 'light' | 'dark'> = {
  light: { ground: '#0b6a61', ink: '#ffffff' },
  dark: { ground: '#5fd0c0', ink: '#05211d' },
};

/** Colours in light and in dark mode. */
const ink = ['#14211f', '#f1f4f3'] as const;
const muted = ['#53625e', '#a9b8b3'] as const;
const danger = ['#b1271f', '#ff9d93'] as const;
const line = ['#dfe5df', '#3a4542'] as const;
const page = ['#ffffff', '#121212'] as const;
const surface = ['#ffffff', '#1c1c1e'] as const;

type Colours = readonly [light: string, dark: string];

/**
 * The style attribute and the class of an element. Mail programs without support for dark mode, and those that derive
 * dark colours themselves, use the attribute, so it always has the light colours. The class changes them in dark mode.
 */
const styled = (classes: string, style: string) => `class="${classes}" style="${style}"`;

function sheetOf({ dark }: Pick<Brand, 'dark'>): string {
  const rules = {
    page: `background:${page[1]}`,
    card: `background:${surface[1]};border-color:${line[1]}`,
    ink: `color:${ink[1]}`,
    muted: `color:${muted[1]}`,
    danger: `color:${danger[1]}`,
    fill: `background:${dark.ground};color:${dark.ink};border-color:${dark.ground}`,
    face: `background:${dark.ink};color:${dark.ground}`,
    tone: `color:${dark.ground};border-color:${dark.ground}`,
  };
  const important = Object.entries(rules).map(
    ([name, declarations]) => `.${name}{${declarations.replaceAll(/(;|$)/g, '!important$1')}}`,
  );
  return `:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${important.join('')}}`;
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** Long words and addresses break instead of widening the table. */
const breaks = 'word-break:break-word;overflow-wrap:anywhere';

const tableOf = (width: string) => `role="presentation" width="${width}" cellpadding="0" cellspacing="0"`;
const coloured = ([light]: Colours) => `color:${light}`;
const text = (classes: string, colours: Colours, style: string, content: string) =>
  `<p ${styled(classes, `margin:0 0 16px;font-size:16px;line-height:24px;${breaks};${coloured(colours)};${style}`)}>${content}</p>`;

/** Outlook ignores `max-width`, and gets a table of that width instead. */
const inColumn = (content: string) => `
<!--[if mso]><table role="presentation" align="center" width="560" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;margin:0 auto">
${content}
</table>
<!--[if mso]></td></tr></table><![endif]-->`;

/** The HTML part of an email. Mail programs support neither variables nor, in part, style sheets. */
export function html(product: string, content: EmailContent): string {
  const { preview, brand, footer, unsubscribe, language = 'en' } = content;
  const colours = brand ?? ownColours;
  const link = unsubscribe
    ? `<br><a href="${escaped(unsubscribe.url)}" ${styled('muted', coloured(muted))}>${escaped(unsubscribe.label)}</a>`
    : '';
  const rows = [
    `<tr><td ${styled('fill', `padding:13px 19px;border:1px solid ${colours.light.ground};border-radius:15px 15px 0 0;background:${colours.light.ground};color:${colours.light.ink}`)} bgcolor="${colours.light.ground}">${brand ? strip(brand) : wordmark(product, colours)}</td></tr>`,
    `<tr><td ${styled('card', `padding:20px 20px 8px;border:1px solid ${line[0]};border-top:0;border-radius:0 0 15px 15px;background:${surface[0]}`)} bgcolor="${surface[0]}">${bodyOf(content, colours).join('\n')}</td></tr>`,
    `<tr><td style="padding:16px 20px 0">${text('muted', muted, 'font-size:13px;line-height:20px', `${escaped(footer)}${link}`)}</td></tr>`,
  ];
  return `<!doctype html>
<html lang="${escaped(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escaped(product)}</title>
<style>${sheetOf(colours)}</style></head>
<body ${styled('page', `margin:0;padding:0;background:${page[0]};${font}`)}>
<div style="display:none;max-height:0;overflow:hidden">${escaped(preview)}</div>
<table ${tableOf('100%')} ${styled('page', `background:${page[0]};${font}`)} bgcolor="${page[0]}"><tr><td style="padding:16px 8px">${inColumn(rows.join('\n'))}
</td></tr></table></body></html>`;
}

const wordmark = (product: string, { light }: Pick<Brand, 'light'>) =>
  `<p ${styled('fill', `margin:0;font-size:17px;line-height:24px;font-weight:700;background:${light.ground};color:${light.ink}`)}>${escaped(product)}</p>`;

/** The picture and the name of the group. */
function strip({ name, initials, picture, light }: Brand): string {
  const size = 'width:36px;height:36px;line-height:36px;border-radius:8px;text-align:center';
  // The initials are inverse, so that they stand out from the strip.
  const face = picture
    ? `<img src="${escaped(picture)}" width="36" height="36" alt="" style="display:block;border:0;border-radius:8px">`
    : `<div ${styled('face', `${size};font-size:14px;font-weight:700;background:${light.ink};color:${light.ground}`)} aria-hidden="true">${escaped(initials)}</div>`;
  return `<table role="presentation" cellpadding="0" cellspacing="0"><tr>
<td width="36" valign="middle">${face}</td>
<td valign="middle" dir="auto" ${styled('fill', `padding:0 0 0 12px;font-size:17px;line-height:22px;font-weight:700;${breaks};background:${light.ground};color:${light.ink}`)}>${escaped(name)}</td>
</tr></table>`;
}

/** What the card contains, from top to bottom. An answer comes before all text. */
function bodyOf(
  { card, choices, paragraphs, parts = [], pictures = [], code, action }: EmailContent,
  colours: Pick<Brand, 'light'>,
): string[] {
  const { ground } = colours.light;
  return [
    ...(card ? [cardHead(card, colours)] : []),
    ...(choices ? choicesHtml(choices, colours) : []),
    ...paragraphs.map((paragraph) => paragraphHtml(paragraph, ground)),
    ...parts.flatMap((part, nth) => partHtml(part, colours, nth === 0)),
    ...pictures.map(pictureHtml),
    ...(code
      ? [
          `<p ${styled('ink', `margin:8px 0 24px;font:700 32px/40px ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;${breaks};${coloured(ink)}`)}>${escaped(code)}</p>`,
        ]
      : []),
    ...(action
      ? [
          // The answer is the button of the email, and nothing is left to do about a cancelled event.
          choices || card?.cancelled
            ? text('ink', ink, '', linkTo(action.url, escaped(action.label), ground))
            : buttons([{ ...action, isMain: true }], colours),
        ]
      : []),
  ];
}

/** The question, if there is more to say than the buttons do, and the buttons. */
const choicesHtml = (
  { label, links }: NonNullable<EmailContent['choices']>,
  colours: Pick<Brand, 'light'>,
) => [
  ...(label ? [text('ink', ink, 'margin:0 0 12px;font-weight:600', escaped(label))] : []),
  buttons(links, colours),
];

function partHtml(
  { title, card, choices, lines = [], more }: Part,
  colours: Pick<Brand, 'light'>,
  isFirst: boolean,
): string[] {
  const { ground } = colours.light;
  return [
    ...(title
      ? [
          `<h2 dir="auto" ${styled('ink', `margin:${isFirst ? 0 : 28}px 0 12px;font-size:18px;line-height:24px;font-weight:700;${breaks};${coloured(ink)}`)}>${escaped(title)}</h2>`,
        ]
      : []),
    ...(card ? [cardHead(card, colours, 'h3')] : []),
    ...(choices ? choicesHtml(choices, colours) : []),
    ...lines.map((line) => lineHtml(line, ground)),
    ...(more ? [text('ink', ink, '', linkTo(more.url, escaped(more.label), ground))] : []),
  ];
}

function lineHtml({ label, url, excerpt }: NonNullable<Part['lines']>[number], ground: string): string {
  const quoted = excerpt
    ? `<br><span dir="auto" ${styled('muted', coloured(muted))}>${escaped(excerpt)}</span>`
    : '';
  return text(
    'ink',
    ink,
    'margin:0 0 12px',
    `<span dir="auto">${linkTo(url, escaped(label), ground)}</span>${quoted}`,
  );
}

const linkTo = (url: string, label: string, ground: string) =>
  `<a href="${escaped(url)}" ${styled('tone', `color:${ground};text-decoration:underline`)}>${label}</a>`;

function paragraphHtml(paragraph: Paragraph, ground: string): string {
  if (typeof paragraph === 'string') return text('ink', ink, '', escaped(paragraph).replaceAll('\n', '<br>'));
  if ('facts' in paragraph) {
    const title = text('ink', ink, 'margin:0;font-weight:600', escaped(paragraph.title));
    return title + factsHtml(paragraph.facts, 16);
  }
  const parts = linkify(paragraph.written).map(({ text: part, href }) =>
    href ? linkTo(href, escaped(part), ground) : escaped(part).replaceAll('\n', '<br>'),
  );
  return text('ink', ink, '', parts.join('')).replace('<p ', '<p dir="auto" ');
}

/** The date, the title and the facts. */
function cardHead(
  { tile, title, cancelled, facts }: Card,
  colours: Pick<Brand, 'light'>,
  heading: 'h1' | 'h3' = 'h1',
): string {
  const tag = cancelled
    ? `<p ${styled('danger', `margin:0 0 2px;font-size:14px;line-height:20px;font-weight:700;${coloured(danger)}`)}>${escaped(cancelled)}</p>`
    : '';
  const name = cancelled ? `<s>${escaped(title)}</s>` : escaped(title);
  return `<table ${tableOf('100%')} style="margin:0 0 20px"><tr>
<td width="72" valign="top">${tileHtml(tile, colours)}</td>
<td valign="top">${tag}<${heading} dir="auto" ${styled('ink', `margin:0 0 6px;${heading === 'h1' ? 'font-size:22px;line-height:28px' : 'font-size:18px;line-height:24px'};font-weight:700;${breaks};${coloured(ink)}`)}>${name}</${heading}>
${factsHtml(facts, 0)}</td>
</tr></table>`;
}

/** The date repeats the first fact, so screen readers skip it. */
const tileHtml = ({ weekday, day, month }: Card['tile'], { light }: Pick<Brand, 'light'>) =>
  `<table role="presentation" aria-hidden="true" width="56" cellpadding="0" cellspacing="0" ${styled('tone', `width:56px;border:1px solid ${light.ground};border-collapse:separate;border-radius:10px;overflow:hidden;text-align:center`)}>
<tr><td ${styled('fill', `padding:3px 0;font-size:12px;line-height:16px;font-weight:700;background:${light.ground};color:${light.ink}`)} bgcolor="${light.ground}">${escaped(month) || '&#160;'}</td></tr>
<tr><td ${styled('ink', `padding:4px 0 0;font-size:24px;line-height:26px;font-weight:700;${coloured(ink)}`)}>${escaped(day)}</td></tr>
<tr><td ${styled('muted', `padding:0 0 4px;font-size:12px;line-height:16px;${coloured(muted)}`)}>${escaped(weekday) || '&#160;'}</td></tr></table>`;

/** A value that has not changed has no label: its place below the title says what it is. */
function factHtml({ label, value, change }: Fact): string {
  if (!change) return `<span dir="auto">${escaped(value)}</span>`;
  const labelled = `<span ${styled('muted', coloured(muted))}>${escaped(label)}</span>`;
  return change === 'was'
    ? `${labelled} <s dir="auto" ${styled('muted', coloured(muted))}>${escaped(value)}</s>`
    : `${labelled} <strong dir="auto">${escaped(value)}</strong>`;
}

const factsHtml = (facts: readonly Fact[], margin: number): string =>
  groupsOf(facts)
    .map((group, n, { length }) =>
      text('ink', ink, `margin:0 0 ${n < length - 1 ? 8 : margin}px`, group.map(factHtml).join('<br>')),
    )
    .join('');

const pictureHtml = ({ url, width, height, alt }: Picture) =>
  `<p style="margin:0 0 16px"><img src="${escaped(url)}" width="${width}" height="${height}" alt="${escaped(alt)}" style="display:block;width:100%;max-width:${width}px;height:auto;border:0;border-radius:10px"></p>`;

/** A main link has a row of its own. Of the others, two share a row. */
function buttons(links: readonly Button[], colours: Pick<Brand, 'light'>): string {
  const rows: Button[][] = [];
  for (const link of links) {
    const last = rows.at(-1);
    if (!link.isMain && last?.length === 1 && !last[0]?.isMain) last.push(link);
    else rows.push([link]);
  }
  const row = ([one, other]: Button[]) => {
    if (!one) return '';
    if (!other) return buttonHtml(one, colours);
    return `<table ${tableOf('100%')} style="table-layout:fixed"><tr>
<td width="50%" valign="top" style="padding:0 4px 0 0">${buttonHtml(one, colours)}</td>
<td width="50%" valign="top" style="padding:0 0 0 4px">${buttonHtml(other, colours)}</td></tr></table>`;
  };
  return `${rows.map(row).join('\n')}<div style="height:12px;line-height:12px;font-size:0">&#160;</div>`;
}

/** The whole area is the link. Outlook pads the cell instead. */
function buttonHtml(
  { label, url, isMain }: Button,
  { light: { ground, ink: on } }: Pick<Brand, 'light'>,
): string {
  const [classes, colours] = isMain
    ? ['fill', `background:${ground};color:${on}`]
    : ['tone', `color:${ground}`];
  return `<table ${tableOf('100%')} style="border-collapse:separate;margin:0 0 8px"><tr>
<td align="center" ${styled(classes, `border:1px solid ${ground};border-radius:10px;mso-padding-alt:12px 8px;${colours}`)}${isMain ? ` bgcolor="${ground}"` : ''}><a href="${escaped(url)}" ${styled(classes, `display:block;padding:12px 8px;mso-padding-alt:0;border-radius:10px;font-size:16px;line-height:22px;font-weight:600;text-decoration:none;${breaks};${colours}`)}>${escaped(label)}</a></td>
</tr></table>`;
}
