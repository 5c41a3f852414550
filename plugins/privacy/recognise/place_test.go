package recognise

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// decimalsForm is what decimalsAt reads.
var decimalsForm = regexp.MustCompile(`^([+-]?[0-9]{1,3}\.(?:[0-9]{1,}))°?[ ]?[NSns]?([ ]*[,;/][ ]*|[ ]{1,2})([+-]?[0-9]{1,3}\.(?:[0-9]{1,}))°?(?:[ ]?[EWew]\b)?`)

// TestDecimals holds what reads two decimals to their pattern.
func TestDecimals(t *testing.T) {
	r, found := rand.New(rand.NewPCG(1, 2)), 0
	parts := []string{"1.5", "-12.25", "+180.0", "1234.5", "7", ".", "°", " ", "  ", ",", ";", "/", "N", "s", "E", "w", "Ex", "é", "+", "-"}
	for range 200_000 {
		var text strings.Builder
		text.WriteString(parts[r.IntN(3)])
		for range r.IntN(8) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		var want decimals
		loc := decimalsForm.FindStringSubmatchIndex(text.String())
		if loc != nil {
			found++
			part := func(i int) string { return text.String()[loc[2*i]:loc[2*i+1]] }
			want = decimals{part(1), part(2), part(3), loc[1]}
		}
		have, ok := decimalsAt(text.String())
		if ok != (loc != nil) || ok && have != want {
			t.Fatalf("%q: want %v, have %v", text.String(), want, have)
		}
	}
	if found < 1000 {
		t.Fatalf("want many pairs, have %d", found)
	}
}

// TestLabelled holds how a latitude and a longitude with their names are written, in a line or two, and what only has such names.
func TestLabelled(t *testing.T) {
	const both = "GEO_COORDINATES 48.137154, GEO_COORDINATES 11.576124"
	checkKinds(t, []kindCase{
		{"a line", "lat: 48.137154, lng: 11.576124", 0, both},
		{"lines of YAML", "location:\n  lat: 48.137154\n  lng: 11.576124", 0, both},
		{"a list of YAML", "- lat: 48.137154\n- lon: 11.576124", 0, both},
		{"lines of a report", "Latitude: 48.137154\nLongitude: 11.576124", 0, both},
		{"settings", "HOME_LAT=48.137154\nHOME_LON=11.576124", 0, both},
		{"settings of the shell", "export HOME_LAT=48.137154\nexport HOME_LON=11.576124", 0, both},
		{"members", "\"lat\": 48.137154,\n\"lng\": 11.576124", 0, both},
		{"names with capitals", "pickupLat: 48.137154,\n  pickupLng: 11.576124", 0, both},
		{"elements", "<lat>48.137154</lat>\n<lon>11.576124</lon>", 0, both},
		{"a table", "| Latitude | 48.137154 |\n| Longitude | 11.576124 |", 0, both},
		{"signs of directions", "Latitude: 48.137154° N\r\nLongitude: 11.576124° E", 0, both},
		{"the longitude first", "lon = 11.576124\nlat = 48.137154", 0, "GEO_COORDINATES 11.576124, GEO_COORDINATES 48.137154"},
		{"counts", "lat: 5\nlong: 10", 0, ""},
		{"times", "avg lat: 12.5ms\nlong: 3.5ms", 0, ""},
		{"words that end so", "flat: 12.5\nsalon: 3.5", 0, ""},
		{"twice the same", "min_lat: 12.5\nmax_lat: 13.5", 0, ""},
		{"another paragraph", "lat: 12.5\n\nlong: 3.5", 0, ""},
		{"nothing yet", "lat = 0.0\nlon = 0.0", 0, ""},
	})
}
