import { t } from '#features/events/home-messages.ts';

/** Words and URLs that say that an event takes place online. */
const online =
  /https?:|www\.|^(online|virtual|zoom|skype|discord|google meet|(ms|microsoft) teams|video ?call)\b/i;

/** The URL that shows a place in the map application of the device, or in OpenStreetMap if the browser is unknown. */
export function mapUrl(place: string, userAgent = ''): string {
  const query = encodeURIComponent(place);
  if (/iPhone|iPad|Macintosh/.test(userAgent)) return `https://maps.apple.com/?q=${query}`;
  if (userAgent.includes('Android')) return `geo:0,0?q=${query}`;
  return `https://www.openstreetmap.org/search?query=${query}`;
}

const quietLook = 'inline-flex min-h-11 items-center text-sm text-accent underline underline-offset-4';

/** Opens a place in the map application of the device. Online events have no link. */
export const MapLink = ({ place, className = quietLook }: { place: string; className?: string }) =>
  !online.test(place.trim()) && (
    <a
      href={mapUrl(place)}
      target="_blank"
      rel="noopener noreferrer"
      className={className}
      onClick={({ currentTarget }) => {
        currentTarget.href = mapUrl(place, navigator.userAgent);
      }}
    >
      {t('openInMaps')}
    </a>
  );
