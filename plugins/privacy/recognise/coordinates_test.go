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

// TestMapped holds the coordinates in URLs of maps and in well-known text, and what only looks so.
func TestMapped(t *testing.T) {
	checkKinds(t, []kindCase{
		{"the middle of a map", "https://www.google.com/maps/@48.8583701,2.2944813,17z", 0, "GEO_COORDINATES 48.8583701,2.2944813"},
		{"a view of a street", "see maps/@-33.8568,151.2153,3a,75y", 0, "GEO_COORDINATES -33.8568,151.2153"},
		{"the data of a place", "maps/place/x/data=!3m1!8m2!3d48.8583701!4d2.2944813!16z", 0, "GEO_COORDINATES 48.8583701!4d2.2944813"},
		{"the data of a way", "!1m2!2d2.2944813!3d48.8583701", 0, "GEO_COORDINATES 2.2944813!3d48.8583701"},
		{"a map with its zoom", "https://www.openstreetmap.org/#map=17/48.85837/2.29448", 0, "GEO_COORDINATES 48.85837/2.29448"},
		{"a marker on it", "/?mlat=48.85837&mlon=2.29448", 0, "GEO_COORDINATES 48.85837, GEO_COORDINATES 2.29448"},
		{"a tilde", "https://www.bing.com/maps?cp=47.677797~-122.122013&lvl=16", 0, "GEO_COORDINATES 47.677797~-122.122013"},
		{"a point", "POINT(2.294481 48.858370)", 0, "GEO_COORDINATES 2.294481 48.858370"},
		{"a point with its system", "SRID=4326;POINT (-122.41 37.77)", 0, "GEO_COORDINATES -122.41 37.77"},
		{"a point with a height", "POINT Z (2.294481 48.858370 35.0)", 0, "GEO_COORDINATES 2.294481 48.858370"},
		{"a line", "linestring(2.2944 48.8583, 2.2950 48.8590)", 0, "GEO_COORDINATES 2.2944 48.8583, GEO_COORDINATES 2.2950 48.8590"},
		{"rings", "POLYGON((2.2944 48.8583,2.2950 48.8590),(2.2946 48.8585,2.2948 48.8587))", 0,
			"GEO_COORDINATES 2.2944 48.8583, GEO_COORDINATES 2.2950 48.8590, GEO_COORDINATES 2.2946 48.8585, GEO_COORDINATES 2.2948 48.8587"},
		{"a point of a drawing", "POINT(0.25 0.75) and POINT(10 20)", 0, ""},
		{"a point of another system", "POINT(448251.79 5411932.67)", 0, ""},
		{"arguments", "polygon(512.25 100.75, 600.50 99.25)", 0, ""},
		{"a version behind the name of a package", "npm i maps/@1.25.3,2.4", 0, ""},
		{"shares in a path", "/data=17/48.85/99", 0, ""},
	})
}

// TestPairs holds which decimals of four places and more are a place without a word for one right before them, by what they are in.
func TestPairs(t *testing.T) {
	const pair, fine = "GEO_COORDINATES 48.8584, 12.2945", "GEO_COORDINATES 48.858370, 12.294481"
	checkKinds(t, []kindCase{
		{"alone", "48.8584, 12.2945", 0, pair},
		{"in a sentence", "at 48.8584, 12.2945 now", 0, pair},
		{"behind a name", "Paris (48.8584, 12.2945)", 0, pair},
		{"behind a name with other letters", "in München (48.8584, 12.2945)", 0, pair},
		{"as fine as a map's", "seen there (48.858370, 12.294481)", 0, fine},
		{"as fine as a map's behind a colon", "see: 48.858370, 12.294481", 0, fine},
		{"as fine as a map's in brackets alone", "(48.858370, 12.294481)", 0, fine},
		{"in brackets of a sentence", "the tower (48.8584, 12.2945) is high", 0, pair},
		{"as fine as a map's in square brackets of a sentence", "meet me at [48.858370, 12.294481]", 0, fine},
		{"a call for a marker", "L.marker([48.8584, 12.2945])", 0, pair},
		{"a call for a view", "map.setView([48.8584, 12.2945], 13)", 0, pair},
		{"a type for places", "new CLLocationCoordinate2D(48.8584, 12.2945)", 0, pair},
		{"a variable for a place", "home = 48.8584, 12.2945", 0, pair},
		{"a setting for a place", "office: 48.8584, 12.2945", 0, pair},
		{"a member for a place", `{"homeAddress": [48.8584, 12.2945]}`, 0, pair},
		{"a parameter for a place", "https://x.org/?destination=48.8584,12.2945", 0, "GEO_COORDINATES 48.8584,12.2945"},
		{"a row of a table", "Paris,48.8584,12.2945", 0, "GEO_COORDINATES 48.8584,12.2945"},
		{"a string", `f("48.8584, 12.2945")`, 0, pair},

		{"an array", "np.array([12.3456, 45.6789])", 0, ""},
		{"a tensor", "tensor([12.3456, 45.6789])", 0, ""},
		{"a tensor of two rows", "tensor([[12.345678, 45.678912], [10.1234, 20.5678]])", 0, ""},
		{"arguments", "plt.plot(12.3456, 45.6789)", 0, ""},
		{"arguments behind another one", "scatter(a, 12.3456, 45.6789)", 0, ""},
		{"results", "eigenvalues: 12.3456, 45.6789", 0, ""},
		{"variables", "x, y = 10.1234, 20.5678", 0, ""},
		{"a pair in a variable", "p = (12.345678, 45.678912)", 0, ""},
		{"a list", "[12.345678, 45.678912]", 0, ""},
		{"a list in a sentence", "the weights are [12.3456, 45.6789] now", 0, ""},
		{"a set", "{12.3456, 45.6789}", 0, ""},
		{"a member", "{'a': (12.345678, 45.678912)}", 0, ""},
		{"a setting", "ratio=12.345678, 45.678912", 0, ""},
	})
}
