package recognise

import "testing"

// TestHosts holds that a word for a version denies an address only as a whole word, and where no word for a host is nearer.
func TestHosts(t *testing.T) {
	const found = "IP_ADDRESS 93.184.216.34"
	checkKinds(t, []kindCase{
		{"a word that only begins as section", "Security alert: login from 93.184.216.34", 0, found},
		{"another one", "Secondary DNS: 93.184.216.34", 0, found},
		{"in a name", "SECONDARY_IP=93.184.216.34", 0, found},
		{"seconds", "Last seen 12 seconds ago from 93.184.216.34", 0, found},
		{"a group", "Security group allows 93.184.216.34/32", 0, found},
		{"a host's name", "Connecting to security.ubuntu.com (93.184.216.34)", 0, found},
		{"a directory, before a user", "rsync -a build/ root@93.184.216.34:/srv", 0, found},
		{"a user", "ssh build@93.184.216.34", 0, found},
		{"a name of a host", "BUILD_HOST=93.184.216.34", 0, found},
		{"a verb and a host", "Building on host 93.184.216.34", 0, found},
		{"a host, before a verb", "The build host is 93.184.216.34", 0, found},
		{"a version of its own", "Connected to PostgreSQL version 14 at 93.184.216.34", 0, found},
		{"a time", "took 5 sec, peer 93.184.216.34", 0, found},
		{"an update of a host", "UPDATE_HOST=93.184.216.34", 0, found},
		{"a version", "version 1.2.3.4", 0, ""},
		{"a version with a letter", "v1.2.3.4", 0, ""},
		{"a version with large numbers", "Chrome version is 120.0.60.71", 0, ""},
		{"a version of a server", "SSH server version 93.184.216.34", 0, ""},
		{"versions", "versions 10.0.190.41 and 10.0.190.42", 0, ""},
		{"a version in a manifest", "versionName='10.0.190.41'", 0, ""},
		{"a name that ends in it", "ProductVersion: 10.0.190.41", 0, ""},
		{"from a version to another", "changed version from 9.4.146.24 to 9.4.146.25", 0, ""},
		{"an upgrade", "upgrade from 9.4.146.24 to 9.4.146.25", 0, ""},
		{"a build", "build 10.0.190.41", 0, ""},
		{"a section", "section 2.3.4.5", 0, ""},
		{"a section in short", "sec. 115.5.4.11", 0, ""},
		{"a release", "release 4.18.0.1", 0, ""},
	})
}

// TestPackages holds that the version of a package is no address, and that what code and filters compare is one.
func TestPackages(t *testing.T) {
	checkKinds(t, []kindCase{
		{"pinned", "nvidia-curand-cu12==10.3.5.147", 0, ""},
		{"pinned, of one word", "opencv==4.9.0.80", 0, ""},
		{"pinned, behind a word for a host", "built from source on the host: opencv==4.9.0.80", 0, ""},
		{"at least", "opencv-python>=4.5.5.64", 0, ""},
		{"between two", "opencv-python>=4.5.5.64,<4.9.0.80", 0, ""},
		{"compatible", "opencv-contrib-python~=4.7.0.72", 0, ""},
		{"compatible, with a caret", `opencv-python = "^4.9.0.80"`, 0, ""},
		{"a member of JSON", `"opencv-python": "4.9.0.80"`, 0, ""},
		{"an environment of Conda", "- opencv=4.9.0.80=py310", 0, ""},
		{"a row of a table", "nvidia-cudnn-cu12     9.1.0.70\n", 0, ""},
		{"a row with a large number, beside another", "numpy                 1.26.4\nnvidia-curand-cu12    10.3.5.147\n", 0, ""},
		{"a filter of packets", "ip.addr==10.0.0.1", 0, "IP_ADDRESS 10.0.0.1"},
		{"a filter of packets that denies", "ip.src != 93.184.216.34", 0, "IP_ADDRESS 93.184.216.34"},
		{"code", `if host == "10.0.0.1":`, 0, "IP_ADDRESS 10.0.0.1"},
		{"code of Lua", `if peer ~= "93.184.216.34" then`, 0, "IP_ADDRESS 93.184.216.34"},
		{"a test of the shell", "[ $IP == 93.184.216.34 ]", 0, "IP_ADDRESS 93.184.216.34"},
		{"a dump of packets", "IP 10.0.0.5 > 93.184.216.34: ICMP echo request", 0, "IP_ADDRESS 10.0.0.5, IP_ADDRESS 93.184.216.34"},
		{"a pattern", `grep "^93.184.216.34" access.log`, 0, "IP_ADDRESS 93.184.216.34"},
		{"a setting with a hyphen", "db-host = 93.184.216.34", 0, "IP_ADDRESS 93.184.216.34"},
		{"a member with a hyphen", `"x-forwarded-for": "4.9.0.80"`, 0, "IP_ADDRESS 4.9.0.80"},
		{"a machine", "web-server-01          10.1.2.3\n", 0, "IP_ADDRESS 10.1.2.3"},
		{"a machine with words for a name", "redis-master 10.1.2.63\n", 0, "IP_ADDRESS 10.1.2.63"},
		{"a sentence", "the so-called 4.9.0.80 answers", 0, "IP_ADDRESS 4.9.0.80"},
	})
}
